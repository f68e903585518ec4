// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

void expect_right(const Settings& settings, std::uint64_t values) {
    const KernelRun run = run_kernel("polar", settings, {.chip = "910b4"});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_TRUE(run.passed()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, values);
}

TEST(Polar, SharesThatAreNoWholeTiles) {
    // 70 * 99 = 6930 elements: three cores' worth of 2048, of which an even number starts.
    expect_right({{"shape", "70,99"}}, 2 * 6930);
}

TEST(Polar, OneBufferAndShortTiles) {
    expect_right({{"shape", "1000"}, {"tile", "64"}, {"buffers", "1"}, {"blocks", "3"}}, 2 * 1000);
}

}  // namespace
}  // namespace ascendsim
