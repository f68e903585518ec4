// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class InterleaveRopeCases : public ::testing::TestWithParam<Settings> {};

TEST_P(InterleaveRopeCases, TurnsPairsAndTakesThemApart) {
    const KernelRun run = run_kernel("interleave_rope", GetParam(), {.chip = "910b3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* tokens, const char* heads, const char* dtype) {
    return {{"tokens", tokens}, {"heads", heads}, {"dtype", dtype}};
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         InterleaveRopeCases,
                         ::testing::Values(of("83", "16", "bfloat16"),
                                           of("5", "16", "float16"),
                                           of("3", "255", "bfloat16"),
                                           of("41", "1", "float16")));

// 40 cores: a head for each of 16 where there are five tokens, three tokens for each where there are 83.
TEST(InterleaveRope, CoresShareTokensOrHeads) {
    const auto cores = [](const char* tokens) {
        const host::Plan plan = plan_kernel("interleave_rope", {{"tokens", tokens}}, "910b3");
        return plan.launches.front().blocks;
    };
    EXPECT_EQ(cores("5"), 16U);
    EXPECT_EQ(cores("83"), 28U);
}

}  // namespace
}  // namespace ascendsim
