// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

TEST(Nd2Nz, MovesEveryElement) {
    const KernelRun run = run_kernel("nd2nz", {{"shape", "333,384"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Nd2Nz, MovesEveryElementOfFewRows) {
    const KernelRun run = run_kernel("nd2nz", {{"shape", "1,128"}, {"dtype", "int16"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Nd2Nz, TakesColumnsThatAreNoWholeRepeats) {
    const KernelRun run = run_kernel("nd2nz", {{"shape", "37,1040"}, {"tile_rows", "16"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Nd2Nz, FillsRaggedColumnsUpWithZeros) {
    const KernelRun run = run_kernel("nd2nz", {{"shape", "33,255"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

// Columns 144 blocks apart: the eight blocks of a repeat lie in one of 16 bank groups and are written one
// after the other, seven cycles more a repeat. 145 apart, none meet.
TEST(Nd2Nz, APitchOfWholeRoundsMeetsInOneBankGroup) {
    const auto conflicts = [](const char* pitch) {
        const Settings settings{{"shape", "288,1024"}, {"column_pitch", pitch}};
        return testing::in_child(
            [&] { return run_kernel("nd2nz", settings, {.functional = false}).totals.conflict_cycles; });
    };
    EXPECT_EQ(conflicts("144"), 7U * 288U * 8U);
    EXPECT_EQ(conflicts("145"), 0U);
}

}  // namespace
}  // namespace ascendsim
