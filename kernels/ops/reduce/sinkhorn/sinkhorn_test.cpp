// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class SinkhornCases : public ::testing::TestWithParam<Settings> {};

TEST_P(SinkhornCases, DividesRowsAndColumnsByTheirSums) {
    const KernelRun run = run_kernel("sinkhorn", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         SinkhornCases,
                         ::testing::Values(Settings{{"shape", "1000,4,4"}},
                                           Settings{{"shape", "37,2,2"}, {"steps", "1"}},
                                           Settings{{"shape", "100,7,7"}, {"steps", "5"}},
                                           Settings{{"shape", "40,16,16"}, {"steps", "2"}}));

}  // namespace
}  // namespace ascendsim
