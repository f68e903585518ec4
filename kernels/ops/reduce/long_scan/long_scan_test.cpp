// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class LongScan : public ::testing::TestWithParam<Settings> {};

TEST_P(LongScan, SumsFromTheLeft) {
    const KernelRun run = run_kernel("long_scan", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

// One element; less than a row, than a tile; a row and one more; rests of rows and tiles; bytes; fewer tiles
// than cores; rows alone; three parts of 6 tiles, the last with a rest.
INSTANTIATE_TEST_SUITE_P(
    Lengths,
    LongScan,
    ::testing::Values(Settings{{"length", "1"}},
                      Settings{{"length", "100"}, {"side", "32"}},
                      Settings{{"length", "1025"}, {"side", "32"}},
                      Settings{{"length", "70000"}, {"side", "64"}},
                      Settings{{"length", "131072"}, {"blocks", "3"}},
                      Settings{{"length", "50001"}, {"side", "32"}, {"dtype", "int8"}},
                      Settings{{"length", "131072"}, {"dtype", "int8"}},
                      Settings{{"length", "33000"}, {"schedule", "rows"}},
                      Settings{{"length", "4097"}, {"side", "64"}, {"schedule", "rows"}, {"dtype", "int8"}},
                      Settings{{"length", "14000"}, {"side", "32"}, {"part", "6144"}}));

}  // namespace
}  // namespace ascendsim
