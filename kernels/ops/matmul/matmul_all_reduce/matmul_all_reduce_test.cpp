// SPDX-License-Identifier: Apache-2.0
// On one device, where nothing is communicated; app/cli/commands/ranks_test.cpp has several ranks.
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using ::testing::HasSubstr;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

TEST(MatmulAllReduce, MultipliesInTurns) {
    // 70 rows in turns of 32: the last has 6.
    for (const char* turns : {"1", "3", "60"}) {
        const Settings settings{{"m", "70"}, {"n", "50"}, {"k", "33"}, {"turns", turns}, {"blocks", "3"}};
        const std::uint64_t right = testing::in_child(
            [&] { return run_kernel("matmul_all_reduce", settings, {.chip = "910b1"}).clean() ? 1U : 0U; });
        EXPECT_EQ(right, 1U) << turns;
    }
}

TEST(MatmulAllReduce, NeedsAChipWhoseKernelsCommunicate) {
    try {
        static_cast<void>(plan_kernel("matmul_all_reduce", {{"ranks", "2"}}, "310p3"));
        FAIL();
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr("kernels of 310p3 cannot communicate"));
    }
}

}  // namespace
}  // namespace ascendsim
