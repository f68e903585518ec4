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

class AddRmsNormCases : public ::testing::TestWithParam<Settings> {};

TEST_P(AddRmsNormCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("add_rms_norm", GetParam(), {.chip = "910b3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* shape, const char* dtype, const char* bias) {
    return {{"shape", shape}, {"dtype", dtype}, {"bias", bias}};
}

// 40 vector cores: one row for each, short rows, rows one by one, and pairs (whole blocks of float16, or of
// bfloat16 up to 512 rows).
INSTANTIATE_TEST_SUITE_P(Kernels,
                         AddRmsNormCases,
                         ::testing::Values(of("7,5120", "bfloat16", "false"),
                                           of("7,2049", "float16", "true"),
                                           of("3,777", "float32", "true"),
                                           of("2,7168", "bfloat16", "true"),
                                           of("61,1021", "bfloat16", "true"),
                                           of("90,512", "float16", "true"),
                                           of("61,513", "float32", "false"),
                                           of("61,130", "float16", "false"),
                                           of("900,1", "bfloat16", "true"),
                                           of("601,8", "float32", "false"),
                                           of("81,5125", "bfloat16", "true"),
                                           of("81,2049", "float16", "false"),
                                           of("81,2052", "float32", "true"),
                                           of("85,5120", "float16", "true"),
                                           of("85,5120", "bfloat16", "false")));

// By add_rms_norm_bias_tiling.cpp: (192 KiB - 1 KiB - 256 - 2 * 5120) / (16 * 5120 + 64) = 2 rows at a time,
// 64 where a row goes alone, and (192 KiB - 1 KiB) / (18 * 512 + 260) = 20 short ones.
TEST(AddRmsNorm, RowsAtATimeAreThoseOfTheOperator) {
    const auto rows = [](const char* shape, const char* dtype, const char* chip) {
        const host::Plan plan = plan_kernel("add_rms_norm", {{"shape", shape}, {"dtype", dtype}}, chip);
        return plan.chosen.at("tile");
    };
    EXPECT_EQ(rows("512,5120", "bfloat16", "910b3"), 2U);
    EXPECT_EQ(rows("512,5120", "bfloat16", "910c"), 2U);
    EXPECT_EQ(rows("513,5120", "bfloat16", "910c"), 64U);
    EXPECT_EQ(rows("2565,5120", "bfloat16", "910b3"), 64U);
    EXPECT_EQ(rows("512,8,5120", "bfloat16", "910b3"), 2U);
    EXPECT_EQ(rows("64,9,5120", "bfloat16", "910b3"), 64U);
    EXPECT_EQ(rows("2565,512", "bfloat16", "910b3"), 20U);
    EXPECT_EQ(rows("9,5120", "bfloat16", "910b3"), 1U);
}

TEST(AddRmsNorm, RefusesRowsThatTheOperatorCutsUp) {
    EXPECT_THROW(static_cast<void>(plan_kernel("add_rms_norm", {{"shape", "4,12289"}}, "910b3")), UserError);
}

}  // namespace
}  // namespace ascendsim
