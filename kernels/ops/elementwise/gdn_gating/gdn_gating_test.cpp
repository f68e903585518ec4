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

void expect_right(const Settings& settings) {
    const KernelRun run = run_kernel("gdn_gating", settings);
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(GdnGating, OneRow) {
    expect_right({{"shape", "1,16"}});
}

TEST(GdnGating, RowsThatAreNoWholeBlocks) {
    expect_right({{"shape", "257,24"}, {"dtype", "bfloat16"}});
}

TEST(GdnGating, ChunksInBulkAndAShorterOne) {
    // 192 KiB hold (196608 - 1024) / (38 * 64) = 80 rows of 64 heads: chunks of 64, in 15 whole ones and 40
    // rows.
    expect_right({{"shape", "1000,64"}, {"blocks", "2"}});
}

TEST(GdnGating, AnotherBeta) {
    expect_right({{"shape", "100,32"}, {"softplus_beta", "2"}});
}

TEST(GdnGating, NoRows) {
    expect_right({{"shape", "0,16"}});
}

TEST(GdnGating, SaysThatTheChipMustPad) {
    try {
        static_cast<void>(plan_kernel("gdn_gating", {{"shape", "4,16"}}, "310p3"));
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("a chip whose copies pad"));
    }
}

}  // namespace
}  // namespace ascendsim
