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

class PoolCases : public ::testing::TestWithParam<Settings> {};

TEST_P(PoolCases, AgreesWithTheDefinition) {
    const KernelRun run = run_kernel("pool", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    PoolCases,
    ::testing::Values(
        Settings{{"shape", "2,20,15,17"}},  // ragged rows, 40 planes in groups of 16
        Settings{{"shape", "2,20,15,17"}, {"dtype", "float32"}},
        Settings{{"shape", "2,20,15,17"}, {"dtype", "bfloat16"}},
        Settings{{"shape", "1,3,33,30"}, {"op", "mean"}, {"dtype", "float32"}},
        Settings{{"shape", "1,3,33,30"}, {"op", "mean"}, {"count_padding", "true"}},
        Settings{{"shape", "1,18,12,13"}, {"op", "mean"}, {"dtype", "bfloat16"}, {"strides", "1,1"}},
        // the last window reaches behind the image: 4 positions, windows of 3 every 2
        Settings{{"shape", "1,1,4,4"}, {"round_up", "true"}, {"pads", ""}, {"dtype", "float32"}},
        Settings{{"shape", "1,2,10,8"},
                 {"op", "mean"},
                 {"round_up", "true"},
                 {"pads", "1,0,0,1"},
                 {"window", "4,3"},
                 {"strides", "3,2"},
                 {"count_padding", "true"}},
        Settings{{"shape", "1,16,20,21"}, {"dilations", "2,3"}, {"strides", "1,2"}, {"dtype", "float32"}},
        Settings{{"shape", "3,5,61"}, {"window", "4"}, {"strides", "3"}, {"pads", "2,1"}},
        Settings{{"shape", "1,2,20000"}, {"window", "5"}, {"strides", "1"}, {"pads", ""}, {"op", "mean"}},
        Settings{{"shape", "1,9,9,10,11"},
                 {"window", "2,3,3"},
                 {"strides", "2,1,2"},
                 {"pads", "0,1,1,1,1,0"},
                 {"op", "mean"},
                 {"dtype", "float32"}},
        Settings{{"shape", "2,32,15,17"}, {"layout", "blocks"}},
        Settings{{"shape", "2,32,15,17"}, {"layout", "blocks"}, {"dtype", "bfloat16"}, {"strides", "1,1"}},
        Settings{{"shape", "1,16,33,300"}, {"layout", "blocks"}, {"op", "mean"}, {"count_padding", "true"}},
        Settings{{"shape", "1,16,9,10,11"},
                 {"layout", "blocks"},
                 {"window", "2,3,3"},
                 {"strides", "2,1,2"},
                 {"pads", "0,1,1,1,1,0"}},
        Settings{{"shape", "1,4,40,60,40"}, {"window", "2,2,2"}, {"strides", "2,2,2"}, {"pads", ""}},
        Settings{{"shape", "2,20,7,7"}, {"window", "7,7"}, {"strides", ""}, {"pads", ""}, {"op", "mean"}}));

TEST(Pool, TakesPlanesOfWholeBlocksOn310p) {
    const KernelRun run = run_kernel("pool", {{"shape", "1,20,16,16"}, {"op", "mean"}}, {.chip = "310p3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Pool, RefusesOtherPlanesOn310p) {
    try {
        static_cast<void>(plan_kernel("pool", {{"shape", "1,20,14,14"}}, "310p3"));  // 7 x 7 positions
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("whole blocks of 32 B"));
    }
}

TEST(Pool, TakesAnyImageInBlocksOn310p) {
    const KernelRun run =
        run_kernel("pool", {{"shape", "1,16,14,14"}, {"layout", "blocks"}}, {.chip = "310p3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Pool, RefusesBlocksOfOtherChannels) {
    EXPECT_THROW(static_cast<void>(plan_kernel("pool", {{"shape", "1,8,8,8"}, {"layout", "blocks"}})),
                 UserError);
    EXPECT_THROW(static_cast<void>(plan_kernel(
                     "pool", {{"shape", "1,16,8,8"}, {"layout", "blocks"}, {"dtype", "float32"}})),
                 UserError);
}

TEST(Pool, RefusesAWindowWithinThePadding) {
    EXPECT_THROW(static_cast<void>(plan_kernel("pool", {{"shape", "1,1,8,8"}, {"pads", "3,3,3,3"}})),
                 UserError);
}

}  // namespace
}  // namespace ascendsim
