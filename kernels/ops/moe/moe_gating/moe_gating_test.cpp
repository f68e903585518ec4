// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class MoeGatingCases : public ::testing::TestWithParam<Settings> {};

TEST_P(MoeGatingCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("moe_gating", GetParam(), {.chip = "910b3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* tokens,
            const char* experts,
            const char* k,
            const char* groups,
            const char* score,
            const char* dtype) {
    return {{"tokens", tokens},
            {"experts", experts},
            {"k", k},
            {"groups", groups},
            {"score", score},
            {"dtype", dtype}};
}

/// Scores of few values, many of them equal.
Settings equals(Settings settings) {
    settings.emplace_back("bias", "false");
    return settings;
}

// The sigmoids of 2048 experts are so close that some of the best 64 are told apart by their roundings. Of
// 1000 tokens in bfloat16 some have groups with equal sums.
INSTANTIATE_TEST_SUITE_P(Kernels,
                         MoeGatingCases,
                         ::testing::Values(of("83", "256", "8", "8", "sigmoid", "float32"),
                                           of("3", "256", "8", "8", "sigmoid", "bfloat16"),
                                           of("41", "128", "8", "1", "softmax", "bfloat16"),
                                           of("2", "384", "8", "1", "sigmoid", "float32"),
                                           of("5", "100", "6", "1", "softmax", "float16"),
                                           of("1", "512", "33", "1", "softmax", "float32"),
                                           of("40", "2048", "64", "1", "sigmoid", "float16"),
                                           equals(of("1000", "256", "8", "8", "sigmoid", "bfloat16")),
                                           of("1", "8", "2", "1", "softmax", "float32")));

TEST(MoeGating, RefusesGroupsThatTheLibraryTakesAnotherWay) {
    EXPECT_THROW(static_cast<void>(plan_kernel("moe_gating", {{"groups", "4"}}, "910b3")), UserError);
    EXPECT_THROW(static_cast<void>(plan_kernel("moe_gating", {{"groups", "8"}, {"experts", "128"}}, "910b3")),
                 UserError);
}

}  // namespace
}  // namespace ascendsim
