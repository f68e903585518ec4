// SPDX-License-Identifier: Apache-2.0
#include "app/validation/serving/serving_validation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/validation/serving/served_row.hpp"

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

ServedCase served(const SystemRow& row) {
    const auto found = served_case(row, here());
    const auto* why = std::get_if<WhyNot>(&found);
    EXPECT_EQ(why, nullptr) << why->reason;
    return why == nullptr ? std::get<ServedCase>(found) : ServedCase{};
}

std::string why_not(const SystemRow& row) {
    const auto found = served_case(row, here());
    const auto* why = std::get_if<WhyNot>(&found);
    return why == nullptr ? "" : why->reason;
}

TEST(ServedRow, ReadsModelLayoutAndLoad) {
    const ServedCase one =
        served(row_of("910B n/s", "4", "Qwen3-32B TP4 eager", "2048/2048 c48", "TPOT mean, sync", "ms"));
    EXPECT_EQ(one.metric, ServedMetric::tpot);
    EXPECT_THAT(one.file, HasSubstr("model = \"qwen3_32b\""));
    EXPECT_THAT(one.file, HasSubstr("tensor = 4"));
    EXPECT_THAT(one.file, HasSubstr("mode = \"queue\""));
    EXPECT_THAT(one.file, HasSubstr("concurrency = 48\ncount = 96\nprompt = 2048\noutput = 2048"));
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

TEST(ServedRow, RefusesWhatIsNotStatedOrNotSimulated) {
    const auto why = [](const std::string& workload, const std::string& shape) {
        return why_not(row_of("A3", "n/s", workload, shape, "TPOT mean", "ms"));
    };
    EXPECT_THAT(why("GLM-5-W8A8 TP8", "20480/100 c1"), HasSubstr("no description of this model"));
    EXPECT_THAT(why("DeepSeek-V3.2 TP8", "2048/100 c1"), HasSubstr("no description of this model"));
    EXPECT_THAT(why("Qwen3-8B Eagle3 TP1", "2048/100 c1"), HasSubstr("drafted"));
    EXPECT_THAT(why("Qwen3-8B suffix decoding TP1", "2048/100 c1"), HasSubstr("drafted"));
    EXPECT_THAT(why("Qwen3-8B", "2048/100 c1"), HasSubstr("laid out is not stated"));
    EXPECT_THAT(why("Qwen3-8B TP1", "c1"), HasSubstr("not stated"));
    EXPECT_THAT(why("Qwen3-8B TP1", "prefix-cache-in3500-bs210 n210 out1 bs18"), HasSubstr("prefix"));
    EXPECT_EQ(why("Qwen3-8B TP1", "2048/100 c1"), "");
}

TEST(ServedRow, ReadsKernelsOfAStep) {
    SystemRow row = row_of("910C die (A3 752T)",
                           "16 dies",
                           "Qwen3-32B BF16 TP16 decode: FusedInferAttentionScore",
                           "b16 ctx 4k",
                           "mean duration",
                           "us");
    row.category = "kernel_mean";
    const auto found = step_kernel_case(row, here());
    ASSERT_TRUE(std::holds_alternative<StepKernelCase>(found));
    const auto& kernel = std::get<StepKernelCase>(found);
    EXPECT_EQ(kernel.op, "FusedInferAttentionScore");
    EXPECT_EQ(kernel.rows, 16U);
    EXPECT_DOUBLE_EQ(kernel.keys, 4000);
    row.workload = "Qwen3-32B TP16 prefill per layer: MatMul down";
    row.shape = "1600x5120";
    EXPECT_TRUE(std::holds_alternative<WhyNot>(step_kernel_case(row, here())));
}

TEST(ServedRow, EveryShippedRowRunsOrSaysWhyNot) {
    std::size_t runs = 0;
    for (const SystemRow& row : read_system_rows(here().measurements() / "serving.csv")) {
        const auto found = served_case(row, here());
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
