// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class MoeReRoutingCases : public ::testing::TestWithParam<Settings> {};

TEST_P(MoeReRoutingCases, SortsTokensByExpert) {
    const KernelRun run = run_kernel("moe_re_routing", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    MoeReRoutingCases,
    ::testing::Values(
        Settings{{"shape", "1009,51"}, {"ranks", "5"}, {"experts", "7"}},
        Settings{
            {"shape", "1000,301"}, {"ranks", "2"}, {"experts", "3"}, {"dtype", "int8"}, {"scaled", "false"}},
        Settings{{"shape", "97,32"}, {"ranks", "50"}, {"experts", "3"}, {"count_type", "int64"}},
        Settings{{"shape", "61,16"}, {"dtype", "int8"}, {"count_type", "int64"}}));

}  // namespace
}  // namespace ascendsim
