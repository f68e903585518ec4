// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "app/validation/rows/operator_rows.hpp"

namespace ascendsim::validation {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Kernel and operation, or kind, of each run.
std::vector<std::string> steps(const char* kernel, const char* shape, const char* source) {
    const Measurement measurement{
        .id = "VEC-1", .source = source, .chip = "910B2", .kernel = kernel, .shape = shape, .dtype = "fp32"};
    ChipSpec chip;
    chip.cores.aiv = 48;
    chip.cores.split = true;
    const SourceRule rule{};
    const auto adapted = composed_case(Row{measurement}, Context{chip, rule});
    std::vector<std::string> names;
    if (adapted && std::holds_alternative<Case>(*adapted)) {
        for (const KernelRun& run : std::get<Case>(*adapted).runs) {
            names.push_back(run.kernel);
            for (const scenario::Override& one : run.set) {
                if (one.path == "kernel.op" || one.path == "kernel.kind" || one.path == "kernel.first") {
                    names.back() += " " + one.value;
                }
            }
        }
    }
    return names;
}

constexpr const char* bench = "x (KernelBench commit 21fbe5a sizes)";

TEST(ComposedRows, AKernelBenchOperatorIsWhatItsDefinitionSays) {
    EXPECT_THAT(steps("torch Swish", "16x16384", bench),
                ElementsAre("elementwise \"sigmoid\"", "elementwise \"mul\""));
    EXPECT_THAT(steps("torch LayerNorm", "16x64x8x8", bench), ElementsAre("row_norm \"layer\""));
    // An index is more work than the extreme it belongs to.
    EXPECT_THAT(steps("torch Argmax", "16x256x256", bench), IsEmpty());
}

TEST(ComposedRows, OthersAreNot) {
    EXPECT_THAT(steps("torch Swish", "16x16384", "FlagGems"), IsEmpty());
    EXPECT_THAT(steps("torch ReLU", "16x16384", bench), IsEmpty());
}

TEST(ComposedRows, AComposedRmsNormIsFiveOperators) {
    EXPECT_THAT(steps("torch RMSNorm (composed)", "16x64x8x8", bench),
                ElementsAre("elementwise \"square\"",
                            "reduce \"mean\" 1",
                            "elementwise \"scale\"",
                            "elementwise \"sqrt\"",
                            "elementwise \"div\""));
    EXPECT_THAT(steps("rms_norm (composed)", "64x128", "x"),
                ElementsAre("elementwise \"square\"",
                            "reduce \"mean\" 1",
                            "elementwise \"scale\"",
                            "elementwise \"sqrt\"",
                            "elementwise \"div\""));
}

}  // namespace
}  // namespace ascendsim::validation
