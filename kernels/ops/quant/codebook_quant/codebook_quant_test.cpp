// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

TEST(CodebookQuant, FindsTheNearestCentroids) {
    const KernelRun run = run_kernel("codebook_quant", {{"shape", "100,512"}, {"blocks", "3"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(CodebookQuant, FindsThemRowByRow) {
    const KernelRun run = run_kernel("codebook_quant", {{"shape", "7,192"}, {"blocks", "2"}, {"batch", "1"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

// Published on 910B4: 50.34 us row by row, 20.32 us with 12 rows an instruction.
TEST(CodebookQuant, RowsInOneInstructionShareItsLatency) {
    const auto cycles = [](const char* batch) {
        return testing::in_child([batch] {
            return run_kernel("codebook_quant", {{"batch", batch}}, {.chip = "910b4", .functional = false})
                .totals.cycles;
        });
    };
    EXPECT_GT(cycles("1"), 2 * cycles("12"));
}

}  // namespace
}  // namespace ascendsim
