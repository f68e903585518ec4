// SPDX-License-Identifier: Apache-2.0
#include "app/validation/networks/networks_validation.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/validation/networks/operator_row.hpp"
#include "app/validation/networks/step_sum_row.hpp"
#include "app/validation/serving/step_runs.hpp"
#include "models/spec/chip_file.hpp"
#include "networks/onnx/read_onnx.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::validation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const toolchain::Installation& installed() {
    static const toolchain::Installation installation = toolchain::Installation::find();
    return installation;
}

SystemRow row_about(const std::string& workload, const std::string& shape, const std::string& metric) {
    return {.id = "X",
            .category = "fusion_gain",
            .chip = "910B3",
            .workload = workload,
            .shape = shape,
            .metric = metric,
            .value = 1,
            .unit = "us"};
}

std::string why_not_an_operator(const SystemRow& row) {
    const auto found = operator_case(row, installed());
    const auto* why = std::get_if<WhyNot>(&found);
    return why == nullptr ? "" : why->reason;
}

OperatorCase operator_of(const SystemRow& row) {
    EXPECT_EQ(why_not_an_operator(row), "");
    const auto found = operator_case(row, installed());
    return std::holds_alternative<OperatorCase>(found) ? std::get<OperatorCase>(found) : OperatorCase{};
}

TEST(OperatorRow, RunsOnTheChipAndAtTheClockThatItsSourceTells) {
    SystemRow row = row_about("fused_gdn_gating AscendC", "heads 16 batch 4", "Task Duration");
    row.chip = "n/s (A2/A3)";
    row.source = "vllm-ascend PR #9601";
    const auto statement =
        statement_about(row, read_statements(installed().measurements() / "statements.toml"));
    ASSERT_TRUE(statement);
    const auto found = operator_case(row, installed(), statement);
    const auto* one = std::get_if<OperatorCase>(&found);
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->chip, "910c");
    EXPECT_EQ(one->clock_ghz, 0.8);
    EXPECT_THAT(one->assumed, HasSubstr("48 cores"));
    row.chip = "910B3";  // now the row says which
    const auto stated = operator_case(row, installed(), statement);
    const auto* own = std::get_if<OperatorCase>(&stated);
    ASSERT_NE(own, nullptr);
    EXPECT_EQ(own->chip, "910b3");
    EXPECT_EQ(own->clock_ghz, 0);
}

TEST(OperatorRow, ReadsNamesAndExtents) {
    SystemRow row = row_about(
        "fused_gdn_gating AscendC (softplus/exp/sigmoid fused)", "heads 16 batch 4", "Task Duration");
    row.chip = "n/s (A2/A3)";
    const OperatorCase one = operator_of(row);
    EXPECT_EQ(one.network.file.filename(), "gdn_gating.onnxtxt");
    EXPECT_THAT(one.network.extents, ElementsAre("batch=4", "heads=16"));
    EXPECT_EQ(one.metric, OperatorMetric::fused);
    EXPECT_EQ(one.chip, "910b3");
    EXPECT_THAT(one.assumed, HasSubstr("910B3"));
    ASSERT_TRUE(one.kernel);
    EXPECT_EQ(one.kernel->kernel, "gdn_gating");
    EXPECT_EQ(std::get<host::Shape>(one.kernel->knobs.front().second), (host::Shape{4, 16}));
}

TEST(OperatorRow, ReadsExtentsInTheOrderOfTheInputs) {
    const OperatorCase product = operator_of(row_about("fp32 matmul", "4096^3", "time"));
    EXPECT_THAT(product.network.extents, ElementsAre("k=4096", "m=4096", "n=4096"));
    EXPECT_EQ(product.network.type, isa::DataType::float32);
    EXPECT_THAT(operator_of(row_about("MatMul", "144x5120x768", "time")).network.extents,
                ElementsAre("k=5120", "m=144", "n=768"));
    EXPECT_THAT(operator_of(row_about("SwiGLU", "(64, 1280)", "fused time")).network.extents,
                ElementsAre("rows=64", "width=1280"));
    EXPECT_THAT(operator_of(row_about("npu_rms_norm bf16", "16 tokens, hidden 5120", "time")).network.extents,
                ElementsAre("rows=16", "width=5120"));
}

TEST(OperatorRow, TakesTheLongerName) {
    EXPECT_EQ(operator_of(row_about("AddRmsNorm", "8x1024", "time before")).network.file.stem(),
              "add_rms_norm");
    EXPECT_EQ(operator_of(row_about("fused RMS norm", "8x1024", "time after")).network.file.stem(),
              "rms_norm");
    EXPECT_EQ(operator_of(row_about("RMSNorm", "8x1024", "time before")).network.fuse, "none");
    EXPECT_EQ(operator_of(row_about("RMSNorm", "8x1024", "speedup")).metric, OperatorMetric::gain);
}

TEST(OperatorRow, RefusesWhatIsNotUnderstood) {
    EXPECT_THAT(why_not_an_operator(row_about("RMSNorm", "8x1024", "TPOT after")), HasSubstr("a rate"));
    EXPECT_THAT(why_not_an_operator(row_about("RMSNorm Triton kernel", "8x1024", "fused time")),
                HasSubstr("compiler whose code is not simulated"));
    EXPECT_THAT(why_not_an_operator(row_about("AddRmsNormBiasQuant", "8x1024", "time")),
                HasSubstr("has this name"));
    EXPECT_THAT(why_not_an_operator(row_about("Softmax, RMSNorm", "8x1024", "time")),
                HasSubstr("several operators"));
    EXPECT_THAT(why_not_an_operator(row_about("fused RMSNorm", "seq 4k", "time after")),
                HasSubstr("every extent"));
    EXPECT_THAT(why_not_an_operator(row_about("fused RMSNorm", "n/s", "time after")),
                HasSubstr("every extent"));
    SystemRow row = row_about("RMSNorm", "8x1024", "time");
    row.chip = "TPU";
    EXPECT_THAT(why_not_an_operator(row), HasSubstr("no chip"));
}

TEST(OperatorRow, TakesExtentsThatItsSourceStates) {
    const SystemRow row = row_about("AutoFuse of hc_post", "n/s", "time before");
    EXPECT_THAT(why_not_an_operator(row), HasSubstr("every extent"));
    const SourceStatement statement{.extents = {"width=4096", "tokens=1", "streams=4"}, .why = "its program"};
    const auto found = operator_case(row, installed(), statement);
    ASSERT_TRUE(std::holds_alternative<OperatorCase>(found));
    const auto& one = std::get<OperatorCase>(found);
    EXPECT_THAT(one.network.extents, ElementsAre("streams=4", "tokens=1", "width=4096"));
    EXPECT_THAT(one.assumed, HasSubstr("its program"));
    EXPECT_FALSE(one.eager);
    SourceStatement uncompiled = statement;
    uncompiled.eager = true;
    EXPECT_TRUE(std::get<OperatorCase>(operator_case(row, installed(), uncompiled)).eager);
    // What AutoFuse makes of it is its own code, and so is what that gains.
    for (const char* metric : {"time after", "speedup"}) {
        const SystemRow after = row_about("AutoFuse of hc_post", "n/s", metric);
        EXPECT_THAT(std::get<WhyNot>(operator_case(after, installed(), uncompiled)).reason,
                    HasSubstr("compiler whose code is not simulated"))
            << metric;
    }
    const SourceStatement refused{.refused = "several sizes"};
    EXPECT_EQ(std::get<WhyNot>(operator_case(row, installed(), refused)).reason, "several sizes");
}

TEST(OperatorRow, EveryShippedOperatorIsLowered) {
    std::size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator{installed().scenarios() / "networks" / "operators"}) {
        if (entry.path().extension() != ".onnxtxt") {
            continue;
        }
        ++count;
        const networks::Graph graph = networks::read_onnx(entry.path());
        std::vector<std::string> extents;
        for (const networks::Input& input : graph.inputs) {
            for (const networks::Extent& extent : input.shape) {
                if (const auto* name = std::get_if<std::string>(&extent)) {
                    extents.push_back(*name + "=16");
                }
            }
        }
        const ChipSpec chip = load_chip("910b3", installed().chips());
        const networks::NetworkPlan plan =
            networks::plan_network(graph,
                                   networks::bind_inputs(graph, extents, 1),
                                   {.precision = networks::Precision::as_stated, .chip = chip});
        for (const networks::PlannedNode& node : plan.nodes) {
            EXPECT_EQ(node.refusal, "") << entry.path() << ": " << node.op;
        }
    }
    EXPECT_GE(count, 10U);
}

TEST(StepSumRow, TakesPromptsWhoseSizesAreStated) {
    SystemRow row = row_about("Qwen3-32B prefill", "ISL1024", "Computing");
    row.category = "step_trace";
    row.chip = "910C die (A3 752T)";
    row.devices = "16 dies";
    row.unit = "ms";
    const auto found = step_sum_case(row, installed(), read_serving_data(installed()));
    ASSERT_TRUE(std::holds_alternative<StepSumCase>(found)) << std::get<WhyNot>(found).reason;
    const auto& sum = std::get<StepSumCase>(found);
    ASSERT_EQ(sum.passes.size(), 1U);
    EXPECT_EQ(sum.passes[0].tokens, 1024U);
    EXPECT_FALSE(sum.one_layer);
    EXPECT_THAT(sum.file, HasSubstr("tensor = 16"));
    EXPECT_THAT(sum.assumed, HasSubstr("16 dies"));
    const auto why = [&row] {
        return std::get<WhyNot>(step_sum_case(row, installed(), read_serving_data(installed()))).reason;
    };
    row.workload = "DeepSeek-V3 W8A8 prefill";  // a mixture: replicas may share experts
    EXPECT_THAT(why(), HasSubstr("laid out is not stated"));
    row.workload = "Qwen3-32B decode";
    EXPECT_THAT(why(), HasSubstr("decoding steps"));
    row.metric = "Free";
    EXPECT_THAT(why(), HasSubstr("waiting"));
}

TEST(StepSumRow, TakesThePassesThatItsSourceLists) {
    SystemRow row = row_about("Qwen3-32B prefill", "ISL1024", "Computing");
    row.category = "step_trace";
    row.chip = "910C die (A3 752T)";
    row.devices = "16 dies";
    row.source = "Horacehxw/msModeling docs/perf_database/reports/profiling_analysis_kernel_vs_e2e_zh.md";
    const auto found = step_sum_case(row, installed(), read_serving_data(installed()));
    ASSERT_TRUE(std::holds_alternative<StepSumCase>(found)) << std::get<WhyNot>(found).reason;
    const auto& sum = std::get<StepSumCase>(found);
    ASSERT_EQ(sum.passes.size(), 2U);  // the prompt but what was in the cache, and two passes that decode
    EXPECT_EQ(sum.passes[0].tokens, 768U);
    EXPECT_EQ(sum.passes[0].past, 256U);
    EXPECT_DOUBLE_EQ(sum.passes[1].count, 2);
    EXPECT_EQ(sum.passes[1].rows, 16U);
    EXPECT_THAT(sum.assumed, HasSubstr("list of kernels"));
    row.workload = "DeepSeek-V3 W8A8 prefill";
    EXPECT_THAT(std::get<WhyNot>(step_sum_case(row, installed(), read_serving_data(installed()))).reason,
                HasSubstr("waits for other devices"));
}

TEST(StepSumRow, TakesWhatRanBesideThePasses) {
    SystemRow row = row_about("Qwen3-32B BF16 TP16 decode", "b16 ctx 4k", "Computing");
    row.category = "step_trace";
    row.chip = "910C die (A3 752T)";
    row.devices = "16 dies";
    row.unit = "ms";
    row.source = "Horacehxw/msModeling docs/perf_database/reports/report_kernel_vs_e2e_zh.md";
    const auto found = step_sum_case(row, installed(), read_serving_data(installed()));
    ASSERT_TRUE(std::holds_alternative<StepSumCase>(found)) << std::get<WhyNot>(found).reason;
    const auto& sum = std::get<StepSumCase>(found);
    ASSERT_EQ(sum.passes.size(), 1U);
    ASSERT_FALSE(sum.beside.empty());
    EXPECT_EQ(sum.beside[0].kernel, "Sort");
    EXPECT_DOUBLE_EQ(sum.beside[0].count, 134);  // once a pass
}

TEST(StepSumRow, AttentionOfAFilledBatchHasACoreForEachSequence) {
    SystemRow row = row_about("Qwen3-32B TP16 decode", "c1", "Computing");
    row.category = "step_trace";
    row.chip = "910C die (A3 752T)";
    row.devices = "16 dies";
    row.source = "Horacehxw/msModeling docs/perf_database/reports/comm_alignment_report_20260312.md";
    const auto found = step_sum_case(row, installed(), read_serving_data(installed()));
    ASSERT_TRUE(std::holds_alternative<StepSumCase>(found)) << std::get<WhyNot>(found).reason;
    const auto& sum = std::get<StepSumCase>(found);
    ASSERT_EQ(sum.passes.size(), 1U);
    EXPECT_EQ(sum.passes[0].batch, 16U);
    const networks::TaskOptions options{.jobs = 2, .progress = {}};
    StepRuns runs{installed(), options};
    std::vector<WindowPass> by_itself = sum.passes;
    by_itself[0].batch = 0;  // its keys are shared by many cores
    EXPECT_GT(runs.passes_us(sum.file, sum.passes, false).us, runs.passes_us(sum.file, by_itself, false).us);
}

TEST(StepSumRow, CommunicationIsItsCollectivesWhereTheSourceCountsThem) {
    SystemRow row = row_about("Qwen3-32B TP16 prefill", "ISL1024", "Communication(Not Overlapped)");
    row.category = "step_trace";
    row.chip = "910C die (A3 752T)";
    row.devices = "16 dies";
    row.source = "Horacehxw/msModeling docs/perf_database/reports/comm_alignment_report_20260312.md";
    const auto found = step_sum_case(row, installed(), read_serving_data(installed()));
    ASSERT_TRUE(std::holds_alternative<StepSumCase>(found)) << std::get<WhyNot>(found).reason;
    const auto& sum = std::get<StepSumCase>(found);
    ASSERT_EQ(sum.exchanges.size(), 2U);
    EXPECT_EQ(sum.exchanges[0].bytes, 65536U / 16 * 5120 * 2);  // a sixteenth of the rows, of 5120 halves
    const double both = exchanges_sum(sum.file, sum.exchanges, installed()).us;
    const double gathers = exchanges_sum(sum.file, {sum.exchanges[0]}, installed()).us;
    EXPECT_NEAR(both - gathers, exchanges_sum(sum.file, {sum.exchanges[1]}, installed()).us, 1e-3);
    EXPECT_NEAR(gathers / 390, 3141, 0.1 * 3141);  // us, the source's median of the 390 (section 4.1)
    row.shape = "ISL4096";  // sizes of messages, and how often each occurs, are not listed
    EXPECT_FALSE(
        std::holds_alternative<StepSumCase>(step_sum_case(row, installed(), read_serving_data(installed()))));
}

TEST(NetworksValidation, JoinsTimesBeforeAndAfterToAGain) {
    const process::TemporaryFolder folder;
    std::ofstream{folder.path() / "rows.csv"}
        << "id,category,chip,devices,software,workload,shape,metric,value,unit,source,reliability,notes\n"
           "A,fusion_gain,910B3,1,,RMSNorm,16x1024,time before,100,us,,high,\n"
           "B,fusion_gain,910B3,1,,RMSNorm,16x1024,time after,25,us,,high,\n"
           "C,fusion_gain,910B3,1,,RMSNorm,n/s,time after,25,us,,high,\n"
           "D,serving,910B3,1,,RMSNorm,16x1024,time after,25,us,,high,\n";
    const SystemValidation result =
        validate_networks(folder.path() / "rows.csv", installed(), {.jobs = 2, .progress = {}});
    ASSERT_EQ(result.rows.size(), 4U);  // D is of no category here
    ASSERT_TRUE(result.rows[0].simulated);
    ASSERT_TRUE(result.rows[1].simulated);
    EXPECT_FALSE(result.rows[2].simulated);
    const JudgedSystemRow& gain = result.rows[3];
    EXPECT_EQ(gain.row.id, "A/B");
    EXPECT_EQ(gain.group, "gains");
    EXPECT_DOUBLE_EQ(gain.row.value, 4);  // 100 / 25
    EXPECT_DOUBLE_EQ(*gain.simulated, *result.rows[0].simulated / *result.rows[1].simulated);
    EXPECT_GT(*gain.simulated, 1);
    EXPECT_DOUBLE_EQ(result.signs_right("gains"), 1);
    EXPECT_THAT(system_text(result), HasSubstr("100 % on the right side of 1"));
    EXPECT_FALSE(result.rows[0].parts.empty());  // a line for each kernel
    EXPECT_THAT(system_text(result), HasSubstr("of which"));
}

TEST(NetworksValidation, EveryShippedRowRunsOrSaysWhyNot) {
    std::size_t runs = 0;
    for (const char* file : {"networks.csv", "serving.csv", "system.csv"}) {
        for (const SystemRow& row : read_system_rows(installed().measurements() / file)) {
            if (row.category != "fusion_gain") {
                continue;
            }
            const auto found = operator_case(row, installed());
            if (const auto* why = std::get_if<WhyNot>(&found)) {
                EXPECT_FALSE(why->reason.empty());
            } else {
                ++runs;
            }
        }
    }
    EXPECT_GT(runs, 30U);
}

}  // namespace
}  // namespace ascendsim::validation
