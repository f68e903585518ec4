// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

struct NormCase {
    const char* shape;
    const char* type;
    const char* chip;
};

void PrintTo(const NormCase& a, std::ostream* out) {
    *out << a.shape << ' ' << a.type << ' ' << a.chip;
}

class NormShapes : public ::testing::TestWithParam<NormCase> {
protected:
    [[nodiscard]] static KernelRun run(const char* kernel, Settings more) {
        const auto [shape, type, chip] = GetParam();
        more.emplace_back("shape", shape);
        more.emplace_back("dtype", type);
        return run_kernel(kernel, more, {.chip = chip});
    }
};

TEST_P(NormShapes, RmsNormAgreesWithTheFormula) {
    const KernelRun result = run("rms_norm", {});
    EXPECT_TRUE(result.clean()) << result.report();
}

TEST_P(NormShapes, FusedLayerNormGeluAgreesWithTheFormula) {
    const KernelRun result = run("layer_norm_gelu", {{"schedule", "fused"}});
    EXPECT_TRUE(result.clean()) << result.report();
}

TEST_P(NormShapes, UnfusedLayerNormGeluAgreesWithTheFormula) {
    const KernelRun result = run("layer_norm_gelu", {{"schedule", "unfused"}});
    EXPECT_TRUE(result.clean()) << result.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         NormShapes,
                         ::testing::Values(NormCase{"1", "float16", "910b3"},
                                           NormCase{"0,768", "float16", "910b3"},
                                           NormCase{"7,0", "float16", "910b3"},
                                           NormCase{"509,31", "float16", "910b3"},
                                           NormCase{"197,768", "float16", "910b3"},
                                           NormCase{"61,769", "bfloat16", "910b3"},
                                           NormCase{"67,1280", "float32", "910b3"},
                                           NormCase{"61,769", "float32", "910b3"},
                                           NormCase{"5,4099", "float16", "910b3"},
                                           NormCase{"3,6144", "float16", "910b3"},
                                           NormCase{"61,1280", "float16", "310p3"},
                                           NormCase{"13,800", "float32", "310p3"}));

std::uint64_t cycles(const char* schedule) {
    return testing::in_child([schedule] {
        return run_kernel(
                   "layer_norm_gelu", {{"shape", "2048,768"}, {"schedule", schedule}}, {.functional = false})
            .totals.cycles;
    });
}

TEST(LayerNormGelu, FusionSavesTime) {
    EXPECT_LT(cycles("fused"), cycles("unfused"));
}

TEST(LayerNormGelu, SaysThatARowIsTooLong) {
    EXPECT_THROW(static_cast<void>(plan_kernel("layer_norm_gelu", {{"shape", "2,30000"}})), UserError);
}

}  // namespace
}  // namespace ascendsim
