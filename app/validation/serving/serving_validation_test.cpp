// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/serving_validation.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/validation/serving/row_layout.hpp"
#include "app/validation/serving/row_load.hpp"
#include "app/validation/serving/served_row.hpp"
#include "app/validation/serving/single_launches.hpp"
#include "models/spec/chip_file.hpp"

namespace ascendsim::validation {
namespace {

using testing::HasSubstr;

SystemRow row_of(const std::string& chip,
                 const std::string& devices,
                 const std::string& workload,
                 const std::string& shape,
                 const std::string& metric,
                 const std::string& unit) {
    return {.category = "serving",
            .chip = chip,
            .devices = devices,
            .workload = workload,
            .shape = shape,
            .metric = metric,
            .value = 1,
            .unit = unit};
}

const toolchain::Installation& here() {
    static const toolchain::Installation installation = toolchain::Installation::find();
    return installation;
}

const ServingData& known() {
    static const ServingData data = read_serving_data(here());
    return data;
}

ServedCase served(const SystemRow& row) {
    const auto found = served_case(row, here(), known());
    const auto* why = std::get_if<WhyNot>(&found);
    EXPECT_EQ(why, nullptr) << why->reason;
    return why == nullptr ? std::get<ServedCase>(found) : ServedCase{};
}

std::string why_not(const SystemRow& row) {
    const auto found = served_case(row, here(), known());
    const auto* why = std::get_if<WhyNot>(&found);
    return why == nullptr ? "" : why->reason;
}

TEST(ServedRow, ReadsModelLayoutAndLoad) {
    const ServedCase one =
        served(row_of("910B n/s", "4", "Qwen3-32B TP4 eager", "2048/2048 c48", "TPOT mean, sync", "ms"));
    EXPECT_EQ(one.metric, ServedMetric::tpot);
    EXPECT_THAT(one.file, HasSubstr("model = \"qwen3_32b\""));
    EXPECT_THAT(one.file, HasSubstr("tensor = 4"));
    EXPECT_THAT(one.file, HasSubstr("mode = \"eager\""));
    EXPECT_THAT(one.file, HasSubstr("concurrency = 48\ncount = 192\nprompt = 2048\noutput = 2048"));
    EXPECT_THAT(one.assumed, HasSubstr("B3"));
}

TEST(ServedRow, ReadsTheNamesOfNightlyRuns) {
    const ServedCase one = served(row_of("910C die (A3 560T)",
                                         "1 server(s)",
                                         "vllm-ascend/Qwen3-30B-A3B-W8A8 [Qwen3-30B-A3B-W8A8-TP1] TP1 DPNone",
                                         "GSM8K-in3500-bs400 n180 out1500 bs45 rate0",
                                         "output throughput baseline",
                                         "tok/s"));
    EXPECT_EQ(one.metric, ServedMetric::tokens_per_s);
    EXPECT_THAT(one.file, HasSubstr("model = \"qwen3_30b_a3b\""));
    EXPECT_THAT(one.file, HasSubstr("weights = \"int8\""));
    EXPECT_THAT(one.file, HasSubstr("concurrency = 45\ncount = 180\nprompt = 3500\noutput = 1500"));
}

TEST(ServedRow, TakesTheRunOfASourceThatSendsAsManyRequests) {
    // of two runs in the source's tree, the one of 256 requests at a time; the other sends 700
    SystemRow row =
        row_of("A3", "2 servers", "Qwen3-235B-A22B", "in3654 out1500 c256 n2800", "TTFT mean", "ms");
    row.software = "vLLM-Ascend";
    row.source = "vllm-ascend PR #5393";
    const ServedCase one = served(row);
    EXPECT_THAT(one.file, HasSubstr("tensor = 8\npipeline = 1\nreplicas = 2\nexpert_parallel = true"));
    EXPECT_THAT(one.file, HasSubstr("max_sequences = 128\nmax_tokens = 256"));
    EXPECT_THAT(one.file, HasSubstr("overlapped = true"));       // asynchronous scheduling
    EXPECT_THAT(one.file, HasSubstr("filled_up = true"));        // of before 9976e685b7
    EXPECT_THAT(one.file, HasSubstr("expansion = \"ai_cpu\""));  // its environment names no other
    EXPECT_THAT(one.file, HasSubstr("rate = 4.8\nconcurrency = 256\ncount = 2800"));
    row.chip = "A2";  // where exchanges take one way
    EXPECT_THAT(served(row).file, testing::Not(HasSubstr("expansion")));
}

TEST(ServedRow, RefusesTokensOfAStepThatItsSourceBelies) {
    SystemRow row =
        row_of("A2/A3 n/s", "8", "Qwen3-32B W8A8C8 TP8", "10240/2048 c192 n960", "TPOT mean", "ms");
    row.software = "vLLM-Ascend";
    row.source = "vllm-ascend PR #7474";
    EXPECT_THAT(why_not(row), HasSubstr("how many tokens a step takes is not stated"));
}

TEST(ServedRow, TakesTheBinThatARowNamesByItsRating) {
    const auto file_on = [](const std::string& chip) {
        return served(row_of(chip, "4", "Qwen3-32B TP4", "2048/2048 c8", "TPOT mean", "ms")).file;
    };
    const serving::ServeConfig top = serving::parse_serving(file_on("910C die (A3)"), "row.toml", here());
    EXPECT_EQ(top.chip.cores.aic, 24U);
    const serving::ServeConfig low =
        serving::parse_serving(file_on("910C die (A3 560T)"), "row.toml", here());
    EXPECT_EQ(low.chip.cores.aiv, 40U);  // two for each of 20
    // as much less as 560 is than 752; 1.653 GHz is rounded
    EXPECT_NEAR(peak_fp16_tflops(low.chip) / peak_fp16_tflops(top.chip), 560.0 / 752, 1e-3);
    EXPECT_EQ(low.chip.hbm.gb_per_s, top.chip.hbm.gb_per_s);
}

TEST(ServedRow, ReadsPercentilesAndThousands) {
    const ServedCase one =
        served(row_of("910B3 (A2)", "1", "Qwen3-8B", "3.5K/1.5K b16 n400", "TTFT P90", "ms"));
    EXPECT_EQ(one.metric, ServedMetric::ttft);
    EXPECT_DOUBLE_EQ(one.percentile, 0.9);
    EXPECT_THAT(one.file, HasSubstr("concurrency = 16\ncount = 400\nprompt = 3500\noutput = 1500"));
}

TEST(ServedRow, ReadsSharedPrefixesAndRates) {
    const ServedCase one = served(row_of("910C die (A3 560T)",
                                         "1 server(s)",
                                         "vllm-ascend/MiniMax-M2.7-w8a8-QuaRot [x] TP8 DP2",
                                         "prefix75-in3500-bs210 n210 out1 bs18 rate4.8",
                                         "output throughput baseline",
                                         "tok/s"));
    EXPECT_THAT(one.file, HasSubstr("model = \"minimax_m2\""));  // M2.7 has the layers of M2
    EXPECT_THAT(one.file, HasSubstr("rate = 4.8\nconcurrency = 18\ncount = 210\nprompt = 3500"));
    EXPECT_THAT(one.file, HasSubstr("prefix = 2625"));  // three quarters of the prompt
    EXPECT_THAT(one.assumed, HasSubstr("begin with the same tokens"));
}

TEST(ServedRow, TakesTheCommandOfANightlyRun) {
    SystemRow row = row_of("910C die (A3)",
                           "2 server(s) x16",
                           "Eco-Tech/Kimi-K2.6-w4a8 [Kimi-K2.6-W4A8-64k-1k-TPOT50-PD] TPNone DPNone",
                           "GSM8K_prefix90_in65536_bs1000_kimi n60 out1024 bs15 rate0.4",
                           "output throughput baseline",
                           "tok/s");
    const ServedCase one = served(row);
    EXPECT_THAT(one.file, HasSubstr("model = \"kimi_k2_thinking\""));
    EXPECT_THAT(one.file, HasSubstr("weights = \"w4a8\""));
    EXPECT_THAT(one.file, HasSubstr("node = \"atlas800t_a3_x2\""));
    EXPECT_THAT(one.file,
                HasSubstr("[layout]\ntensor = 4\npipeline = 1\nreplicas = 4\nexpert_parallel = true"));
    EXPECT_THAT(one.file, HasSubstr("[prompts]\ntensor = 8\npipeline = 1\nreplicas = 2"));
    EXPECT_THAT(one.file, HasSubstr("drafted = 15"));
    EXPECT_THAT(one.assumed, HasSubstr("of 15 drafted tokens are taken to be accepted (1.94 to "));
    // Two runs have this name: the machine tells which.
    row = row_of("910B (A2)",
                 "1 server(s)",
                 "Eco-Tech/Qwen3.5-27B-w8a8-mtp [Qwen3.5-27B-w8a8] TP2 DPNone",
                 "GSM8K-in3500-bs8000-qwen3 n128 out1500 bs32 rate0",
                 "output throughput baseline",
                 "tok/s");
    EXPECT_THAT(served(row).file, HasSubstr("max_tokens = 8192"));
    row.chip = "910C die (A3 560T)";
    EXPECT_THAT(served(row).file, HasSubstr("max_tokens = 16384"));
}

TEST(ServedRow, ReadsDecodingStepsAlone) {
    SystemRow row = row_of("910C die (A3)",
                           "64 chips",
                           "GLM-5 W8A8 decode EP128",
                           "gb256 seq65536",
                           "throughput per chip",
                           "tok/s/chip");
    row.category = "e2e_latency";
    const ServedCase one = served(row);
    EXPECT_THAT(one.file, HasSubstr("tensor = 1\npipeline = 1\nreplicas = 128\nexpert_parallel = true"));
    EXPECT_THAT(one.file, HasSubstr("node = \"atlas800t_a3_x8\""));
    EXPECT_THAT(one.file, HasSubstr("concurrency = 256\ncount = 256\nprompt = 65536"));
    EXPECT_THAT(one.file, HasSubstr("computed = true"));
    EXPECT_DOUBLE_EQ(one.devices, 64);
}

TEST(ServedRow, EightyPercentOfTheShippedNightlyRowsRun) {
    std::size_t rows = 0;
    std::size_t runs = 0;
    for (const SystemRow& row : read_system_rows(here().measurements() / "serving.csv")) {
        if (row.category == "serving_nightly") {
            ++rows;
            runs += std::holds_alternative<ServedCase>(served_case(row, here(), known())) ? 1U : 0U;
        }
    }
    EXPECT_GE(static_cast<double>(runs), 0.8 * static_cast<double>(rows));
}

TEST(RowLayout, ReadsLayoutsHoweverTheyAreWritten) {
    const StatedLayout one = stated_layout("DeepSeek-V3 TP8DP2EP prefill");
    EXPECT_EQ(one.tensor, 8U);
    EXPECT_EQ(one.replicas, 2U);
    EXPECT_TRUE(one.expert_parallel);
    EXPECT_EQ(stated_layout("DeepSeek-V4 DP2TP8 max batched 16384").tensor, 8U);
    EXPECT_EQ(stated_layout("R1 decode EP128 MTP").expert_devices, 128U);
    EXPECT_FALSE(stated_layout("DEEP EPLB TPNone DPNone").states_anything());
    const auto pair = stated_pair("V3.2-Exp PD (P DP4TP8EP32, D DP8TP4EP32) spec 3");
    ASSERT_TRUE(pair);
    EXPECT_EQ(pair->prompts.tensor, 8U);
    EXPECT_EQ(pair->decoding.replicas, 8U);
    EXPECT_FALSE(stated_pair("Qwen3-32B TP4 DP2"));
}

TEST(RowLayout, ReadsTypesOfWeightsAndCaches) {
    using Products = StatedTypes::Products;
    EXPECT_EQ(stated_types("GLM-5.1-w8a8c8").products, Products::w8a8);
    EXPECT_TRUE(stated_types("GLM-5.1-w8a8c8").byte_cache);
    EXPECT_FALSE(stated_types("V4-Flash W8A8C16 decode").byte_cache);
    EXPECT_EQ(stated_types("Kimi-K2.5-W4A8").products, Products::w4a8);
    EXPECT_EQ(stated_types("Qwen3-8B-w8a8sc-310").compressed, true);
    EXPECT_EQ(stated_types("Kimi W4A16").products, Products::other);
    EXPECT_EQ(stated_types("Qwen3-32B BF16 TP4").products, Products::half);
}

TEST(ModelNames, ReadTheLongestThatDoesNotGoOn) {
    const ModelNames& names = known().names;
    const auto file = [&](const char* words) {
        const NamedModel* model = names.in(words);
        return model == nullptr ? std::string{} : model->file;
    };
    EXPECT_EQ(file("deepseek-ai/DeepSeek-V3.1 balance"), "deepseek_v3");
    EXPECT_EQ(file("DeepSeek-V3.2-Exp W8A8C8"), "deepseek_v3.2");
    EXPECT_EQ(file("Qwen2.5-72B TP4"), "qwen2.5_72b");
    EXPECT_EQ(file("Qwen2.5-7B-Instruct"), "qwen2.5_7b");
    EXPECT_EQ(file("vllm-ascend/DeepSeek-R1-0528-W8A8"), "deepseek_v3");
    EXPECT_EQ(file("GLM-4.5-Air"), "glm4.5_air");
    EXPECT_EQ(file("GLM-5.2-w8a8"), "glm5.2");
    EXPECT_EQ(file("GLM-5.9"), "");
    EXPECT_EQ(file("DeepSeek-R1-Distill"), "");
    EXPECT_EQ(file("LongCat-Flash-Lite 69B"), "longcat_flash_lite");
    EXPECT_EQ(file("a chatbot"), "");
    for (const NamedModel& model : names.models()) {
        EXPECT_TRUE(
            std::filesystem::exists(here().scenarios() / "serving" / "models" / (model.file + ".json")))
            << model.file;
    }
}

TEST(ServedRow, RefusesWhatIsNotStatedOrNotSimulated) {
    const auto why = [](const std::string& workload, const std::string& shape) {
        return why_not(row_of("A3", "n/s", workload, shape, "TPOT mean", "ms"));
    };
    EXPECT_THAT(why("GLM-9-W8A8 TP8", "20480/100 c1"), HasSubstr("no description of this model"));
    EXPECT_THAT(why("DeepSeek-V3.7 TP8", "2048/100 c1"), HasSubstr("no description of this model"));
    EXPECT_THAT(why("Kimi-K2-Thinking TP16", "2048/100 c1"), HasSubstr("of a format"));
    EXPECT_THAT(why("Qwen3-8B W4A16 TP1", "2048/100 c1"), HasSubstr("of a format"));
    EXPECT_THAT(why("Qwen3-8B Eagle3 TP1", "2048/100 c1"), HasSubstr("how many in a step is not stated"));
    EXPECT_THAT(why("Qwen3-8B Eagle TP1", "2048/100 c1"), HasSubstr("how many are accepted"));
    EXPECT_THAT(why("Qwen3-8B suffix k3 TP1", "2048/100 c1"), HasSubstr("how many are accepted"));
    EXPECT_THAT(why("Qwen3-8B", "2048/100 c1"), HasSubstr("laid out is not stated"));
    EXPECT_THAT(why("Qwen3-8B TP1", "c1"), HasSubstr("not stated"));
    EXPECT_THAT(why("Qwen3-8B TP1", "prefix-cache-in3500-bs210 n210 out1 bs18"), HasSubstr("prefix"));
    EXPECT_EQ(why("Qwen3-8B TP1", "2048/100 c1"), "");
}

TEST(ServedRow, ReadsDraftsAndWhatIsAccepted) {
    SystemRow row = row_of("n/s", "1", "Qwen3-8B Eagle3 k3 full graph", "3.5K/1.5K b16 n400", "TPOT", "ms");
    row.software = "vLLM-Ascend";
    ServedCase one = served(row);
    EXPECT_THAT(one.file, HasSubstr("drafted = 3"));
    EXPECT_THAT(one.file, HasSubstr("max_tokens = 2048"));  // vLLM's own, where a command does not say
    EXPECT_THAT(one.assumed, HasSubstr("an A2 is taken"));
    EXPECT_THAT(one.assumed, HasSubstr("1.81 of 3 drafted tokens"));  // of this model, drafts.toml
    row.workload = "Qwen3-8B DFlash spec 7 full decode graph";
    one = served(row);
    EXPECT_THAT(one.file, HasSubstr("drafted = 7"));
    EXPECT_THAT(one.file, HasSubstr("passes = 1"));
    row.workload = "Qwen3-8B Eagle3 k3 full graph";
    row.notes = "accept rate 50.0%";
    // p + p^2 + p^3: 0.6914 + 0.4781 + 0.3305 = 1.5
    EXPECT_THAT(served(row).file, HasSubstr("drafted = 3\nacceptance = 0.69"));
    EXPECT_NEAR(acceptance_for(1.5, 3), 0.6914, 1e-3);
}

TEST(ServedRow, RefusesARateOfTokensThatMayNotBeFound) {
    SystemRow row =
        row_of("910B (A2)", "4", "Qwen3-32B BF16 TP4 suffix decoding", "in 150 out 2700 c1", "TPOT", "ms");
    row.software = "vLLM-Ascend image";
    row.source =
        "vllm-project/vllm-ascend@182b75ea docs/source/tutorials/features/suffix_speculative_decoding.md";
    row.notes = "accept rate 50.0%";
    EXPECT_THAT(why_not(row), HasSubstr("1 to 2.50 tokens"));  // three at most, half of them accepted
}

TEST(ServedRow, TakesServersFromWhatTheSourceSaysElsewhere) {
    SystemRow row = row_of(
        "910C die (A3)", "64 chips", "DeepSeek-V3.2-Exp W8A8C8 decode", "gb256 seq65536", "TPOT", "ms");
    row.category = "e2e_latency";
    row.source = "hicann/cann-recipes-infer@fbc225d2 docs/models/deepseek_v3_2_exp/x.md";
    const ServedCase one = served(row);
    EXPECT_THAT(one.file, HasSubstr("tensor = 1\npipeline = 1\nreplicas = 128\nexpert_parallel = true"));
    EXPECT_THAT(one.file, HasSubstr("routing = \"even\""));
    EXPECT_THAT(one.file, HasSubstr("drafted = 3"));
    EXPECT_THAT(one.assumed, HasSubstr("1.44 of 3 tokens accepted"));
}

TEST(ServedRow, CountsOperatorsOfAScriptsOwnCode) {
    SystemRow row = row_of("910C die (A3)",
                           "8",
                           "LongCat-Flash-Lite 69B TP8 BF16 same code, GE graph",
                           "b1 1024/128",
                           "prefill",
                           "ms");
    row.category = "e2e_latency";
    row.source = "hicann/cann-recipes-infer@fbc225d2 models/longcat_flash_lite/agentic/x.md";
    EXPECT_THAT(served(row).file, HasSubstr("framework_calls = 14"));
}

TEST(ServedRow, TakesWeightsAsPublishedWhereNothingIsSaid) {
    const ServedCase one = served(row_of("A3", "16", "DeepSeek-V3 TP16", "2048/128 c8", "TPOT mean", "ms"));
    EXPECT_THAT(one.file, HasSubstr("weights = \"int8\""));
    EXPECT_THAT(one.assumed, HasSubstr("published in FP8"));
}

TEST(ServedRow, ExpertsPublishedInFourBitsRunAsSuch) {
    const ServedCase one =
        served(row_of("A3", "16", "DeepSeek-V4-Flash TP16", "2048/128 c8", "TPOT mean", "ms"));
    EXPECT_THAT(one.file, HasSubstr("weights = \"w4a8\""));
    EXPECT_THAT(one.assumed, HasSubstr("of experts in FP4"));
    const ServedCase said =
        served(row_of("A3", "16", "DeepSeek-V4-Flash-W8A8 TP16", "2048/128 c8", "TPOT mean", "ms"));
    EXPECT_THAT(said.file, HasSubstr("weights = \"int8\""));
}

TEST(ServedRow, TakesBestPracticesByModelLengthAndCards) {
    SystemRow row = row_of("A3", "2 cards", "Qwen3-32B W8A8 best practice", "1K+0.3K", "TPOT", "ms");
    row.software = "SGLang";
    row.source = "sglang docs/platforms/ascend/ascend_npu_best_practice.md";
    const ServedCase one = served(row);
    EXPECT_THAT(one.file, HasSubstr("tensor = 4"));
    EXPECT_THAT(one.file, HasSubstr("drafted = 3\nacceptance = 0.67"));
    // 3 ms of any step, and 80 operators at 48.7 us
    EXPECT_THAT(one.file, HasSubstr("chunked = false\noverlapped = true\nstep_host_us = 6896"));
    EXPECT_THAT(one.file, HasSubstr("concurrency = 16\ncount = 16\nprompt = 1000\noutput = 300"));
    row.devices = "3 cards";  // of these nothing is known
    EXPECT_THAT(why_not(row), HasSubstr("laid out is not stated"));
    row.devices = "32 cards";
    row.workload = "DeepSeek-R1 W8A8 PD low latency";
    row.shape = "3.9K+1K";
    const ServedCase apart = served(row);
    EXPECT_THAT(apart.file, HasSubstr("[layout]\ntensor = 2\npipeline = 1\nreplicas = 16"));
    EXPECT_THAT(apart.file, HasSubstr("[prompts]\ntensor = 8\npipeline = 1\nreplicas = 4"));
    EXPECT_THAT(apart.file, HasSubstr("rate = 16\nconcurrency = 768"));
}

TEST(RowLoad, ReadsLengthsWhereverTheyStand) {
    SystemRow row = row_of("A2", "8", "x", "b8 256/32", "decode step", "ms");
    RowLoad load = load_of_row(row, {});
    EXPECT_DOUBLE_EQ(load.prompt, 256);
    EXPECT_DOUBLE_EQ(load.output, 32);
    EXPECT_DOUBLE_EQ(load.concurrency, 8);
    row.shape = "b4 1024";
    EXPECT_DOUBLE_EQ(load_of_row(row, {}).output, 0);
    row.category = "e2e_latency";  // a script's decoding steps
    load = load_of_row(row, {});
    EXPECT_DOUBLE_EQ(load.prompt, 1024);
    EXPECT_GT(load.output, 1);
    row.shape = "gb64";
    load = load_of_row(row, {.prompt = 65536});
    EXPECT_DOUBLE_EQ(load.prompt, 65536);
    EXPECT_TRUE(load.computed);
}

TEST(ServedRow, ReadsKernelsOfAStep) {
    SystemRow row = row_of("910C die (A3 752T)",
                           "16 dies",
                           "Qwen3-32B BF16 TP16 decode: FusedInferAttentionScore",
                           "b16 ctx 4k",
                           "mean duration",
                           "us");
    row.category = "kernel_mean";
    const auto found = step_kernel_case(row, here(), known());
    ASSERT_TRUE(std::holds_alternative<StepKernelCase>(found));
    const auto& kernel = std::get<StepKernelCase>(found);
    EXPECT_EQ(kernel.op, "FusedInferAttentionScore");
    EXPECT_EQ(kernel.rows, 16U);
    EXPECT_DOUBLE_EQ(kernel.keys, 4000);
    row.workload = "Qwen3-32B TP16 prefill per layer: MatMul down";
    row.shape = "1600x5120";
    EXPECT_TRUE(std::holds_alternative<WhyNot>(step_kernel_case(row, here(), known())));
}

TEST(ServedRow, TakesRowsFromWhatTheSourceSaysElsewhere) {
    SystemRow row = row_of("910C die (A3 752T)",
                           "16 dies",
                           "DeepSeek-V3 W8A8 TP8 DP2 EP decode: RmsNorm",
                           "ISL4096 OSL1536",
                           "mean duration",
                           "us");
    row.category = "kernel_mean";
    EXPECT_TRUE(std::holds_alternative<WhyNot>(step_kernel_case(row, here(), known())));
    row.source = "Horacehxw/msModeling docs/perf_database/reports/report_kernel_vs_e2e_zh.md";
    const auto found = step_kernel_case(row, here(), known());
    ASSERT_TRUE(std::holds_alternative<StepKernelCase>(found)) << std::get<WhyNot>(found).reason;
    const auto& kernel = std::get<StepKernelCase>(found);
    EXPECT_EQ(kernel.op, "RmsNorm q");  // DeepSeek's attention is latent: behind its narrow queries
    EXPECT_EQ(kernel.rows, 1U);
    EXPECT_EQ(kernel.sequences, 5U);  // on one device, by the source's list of shapes (statements.toml)
    EXPECT_FALSE(kernel.assumed.empty());
}

TEST(ServedRow, ReadsKernelsThatProfilersListByType) {
    SystemRow row = row_of("910C die (A3 752T)",
                           "16 dies",
                           "Qwen3-32B BF16 TP16 decode: MatMulV2 (small)",
                           "b16 ctx 4k",
                           "mean duration",
                           "us");
    row.category = "kernel_mean";
    EXPECT_EQ(std::get<StepKernelCase>(step_kernel_case(row, here(), known())).which,
              StepKernels::shortest_product);
    row.workload = "Qwen3-32B BF16 TP16 decode: MatMulV2 (large)";
    EXPECT_EQ(std::get<StepKernelCase>(step_kernel_case(row, here(), known())).which,
              StepKernels::other_products);
}

/// Rows of kernels as a file of measurements.
SystemValidation judged_kernels(const std::string& rows) {
    const std::filesystem::path file = std::filesystem::path{testing::TempDir()} / "kernels_of_prompts.csv";
    std::ofstream{file} << "id,category,chip,devices,software,workload,shape,metric,value,unit,source,"
                           "reliability,notes\n"
                        << rows;
    SystemValidation judged = validate_serving(file, here(), {.jobs = 2});
    std::filesystem::remove(file);
    return judged;
}

// A product of 144 rows runs on all 24 cube cores, which start one after the other: the last one 23 starts
// behind the first.
TEST(ServingValidation, KernelsOfPromptsFindCoresWithoutThem) {
    const SystemValidation judged = judged_kernels(
        "X-1,kernel_mean,910C die (A3 752T),16 dies,vLLM-Ascend,"
        "Qwen3-32B TP16 prefill per layer: MatMul qkv,144x5120x768,mean duration,19.6,us,own,"
        "high,\n");
    ASSERT_EQ(judged.rows.size(), 1U);
    ASSERT_TRUE(judged.rows[0].simulated) << judged.rows[0].why_not;
    const auto found = step_kernel_case(judged.rows[0].row, here(), known());
    ASSERT_TRUE(std::holds_alternative<StepKernelCase>(found));
    StepRuns held{here(), {.jobs = 2}};
    const double apart = *judged.rows[0].simulated - held.kernel_us(std::get<StepKernelCase>(found)).us;
    EXPECT_NEAR(apart, 23 * first_task_us(here()), 0.5);
}

TEST(ServedRow, EveryShippedRowRunsOrSaysWhyNot) {
    std::size_t runs = 0;
    for (const SystemRow& row : read_system_rows(here().measurements() / "serving.csv")) {
        const auto found = served_case(row, here(), known());
        if (const auto* why = std::get_if<WhyNot>(&found)) {
            EXPECT_FALSE(why->reason.empty());
            continue;
        }
        ++runs;
        EXPECT_NO_THROW((void)serving::parse_serving(std::get<ServedCase>(found).file, "row.toml", here()))
            << row.id;
    }
    EXPECT_GT(runs, 20U);
}

}  // namespace
}  // namespace ascendsim::validation
