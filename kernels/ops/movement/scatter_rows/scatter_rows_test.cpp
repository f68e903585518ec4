// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class ScatterRowsCases : public ::testing::TestWithParam<Settings> {};

TEST_P(ScatterRowsCases, PutsEachRowInItsPlace) {
    const KernelRun run = run_kernel("scatter_rows", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    ScatterRowsCases,
    ::testing::Values(Settings{{"rows", "300"}, {"shape", "100,64"}, {"dtype", "float16"}},
                      Settings{{"rows", "200"}, {"shape", "150,37"}, {"dtype", "float32"}},
                      Settings{{"rows", "10"}, {"shape", "7,60000"}, {"dtype", "float32"}},
                      Settings{{"rows", "50"}, {"shape", "130,48"}, {"dtype", "int32"}, {"add", "true"}},
                      Settings{{"rows", "90"}, {"shape", "130,80"}, {"dtype", "float16"}, {"add", "true"}}));

}  // namespace
}  // namespace ascendsim
