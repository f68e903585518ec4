// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;

struct GeluCase {
    const char* shape;
    const char* type;
    const char* form;
    const char* chip;
};

void PrintTo(const GeluCase& a, std::ostream* out) {
    *out << a.shape << ' ' << a.type << ' ' << a.form << ' ' << a.chip;
}

class GeluShapes : public ::testing::TestWithParam<GeluCase> {};

TEST_P(GeluShapes, AgreesWithTheFormula) {
    const auto [shape, type, form, chip] = GetParam();
    const KernelRun run =
        run_kernel("gelu", {{"shape", shape}, {"dtype", type}, {"form", form}}, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         GeluShapes,
                         ::testing::Values(GeluCase{"1", "float16", "tanh", "910b3"},
                                           GeluCase{"0", "float16", "erf", "910b3"},
                                           GeluCase{"131,257", "float16", "tanh", "910b3"},
                                           GeluCase{"131,257", "float16", "erf", "910b3"},
                                           GeluCase{"131,257", "bfloat16", "tanh", "910b3"},
                                           GeluCase{"131,257", "bfloat16", "erf", "910b3"},
                                           GeluCase{"131,257", "float32", "tanh", "910b3"},
                                           GeluCase{"131,257", "float32", "erf", "910b3"},
                                           GeluCase{"1", "float32", "erf", "310p3"},
                                           GeluCase{"131,257", "float16", "tanh", "310p3"},
                                           GeluCase{"64,768", "float16", "erf", "310p3"}));

TEST(Gelu, WritesFloatFromHalf) {
    const KernelRun run = run_kernel("gelu", {{"shape", "61,129"}, {"float_out", "true"}, {"form", "erf"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Gelu, SaysThatTheChipHasNoBfloat16) {
    try {
        static_cast<void>(plan_kernel("gelu", {{"dtype", "bfloat16"}}, "310p3"));
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("no bfloat16"));
    }
}

TEST(Gelu, DoubleBufferingSavesTime) {
    const auto cycles = [](const char* buffers) {
        return testing::in_child([buffers] {
            return run_kernel("gelu",
                              {{"shape", "1024,1024"}, {"tile", "4096"}, {"buffers", buffers}},
                              {.functional = false})
                .totals.cycles;
        });
    };
    EXPECT_LT(cycles("2") * 20, cycles("1") * 19);
}

}  // namespace
}  // namespace ascendsim
