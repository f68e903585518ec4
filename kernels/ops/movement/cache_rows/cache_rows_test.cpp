// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class CacheRowsCases : public ::testing::TestWithParam<Settings> {};

TEST_P(CacheRowsCases, PutsEachTokenInItsSlot) {
    const KernelRun run = run_kernel("cache_rows", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    CacheRowsCases,
    ::testing::Values(
        Settings{{"rows", "300"}, {"shape", "100,64"}, {"value_width", "64"}},    // one buffer
        Settings{{"rows", "3000"}, {"shape", "1200,64"}, {"value_width", "32"}},  // two of each
        Settings{{"rows", "200"}, {"shape", "150,37"}, {"value_width", "21"}},    // no whole blocks
        Settings{{"rows", "20"}, {"shape", "7,60000"}, {"value_width", "0"}},     // longer than a buffer
        Settings{{"rows", "90"}, {"shape", "3,512"}, {"value_width", "64"}, {"dtype", "bfloat16"}}));

}  // namespace
}  // namespace ascendsim
