// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t values) {
    const KernelRun run = run_kernel("mhc_post", settings, {.chip = "910b2"});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, values);
}

TEST(MhcPost, TokensThatAreNoWholeBlocks) {
    expect_right({{"shape", "101,75"}}, 101 * 4 * 75);
}

TEST(MhcPost, LongTokensGoInParts) {
    // 8192 / 4 = 2048 values at a time: two parts and a shorter one.
    expect_right({{"shape", "3,5000"}, {"buffers", "1"}, {"blocks", "2"}}, 3 * 4 * 5000);
}

}  // namespace
}  // namespace ascendsim
