// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class Sort : public ::testing::TestWithParam<Settings> {};

TEST_P(Sort, PutsRowsInOrder) {
    const KernelRun run = run_kernel("sort", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

// Rows that fit: one element, a part of a run, whole fours of runs, five runs and one (a rest that is
// copied). Rows in pieces: two; 9 = 3 x 3 with a short last one; 17 lists of which the last is alone; windows
// that end at different places; many equal elements (float16).
INSTANTIATE_TEST_SUITE_P(
    Kernels,
    Sort,
    ::testing::Values(Settings{{"shape", "3,1"}, {"dtype", "float32"}},
                      Settings{{"shape", "5,31"}, {"dtype", "float16"}},
                      Settings{{"shape", "7,512"}, {"dtype", "float32"}, {"rising", "true"}},
                      Settings{{"shape", "2,161"}, {"dtype", "bfloat16"}},
                      Settings{{"shape", "1,6000"}, {"dtype", "float32"}},
                      Settings{{"shape", "3,12001"}, {"dtype", "float32"}},
                      Settings{{"shape", "2,4500"}, {"dtype", "float16"}, {"piece", "512"}, {"window", "64"}},
                      Settings{{"shape", "2,2100"},
                               {"dtype", "float32"},
                               {"piece", "128"},
                               {"window", "32"},
                               {"rising", "true"},
                               {"blocks", "3"}},
                      Settings{{"shape", "3,288"}, {"dtype", "float32"}, {"piece", "32"}, {"window", "32"}},
                      Settings{
                          {"shape", "40,300"}, {"dtype", "float16"}, {"piece", "96"}, {"window", "32"}}));

}  // namespace
}  // namespace ascendsim
