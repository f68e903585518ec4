// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

TEST(WeightQuantFewRows, OneRowAndTails) {
    // A strip of 256 columns and one of 160; a chunk of 512 deep and one of 96.
    const KernelRun run = run_kernel("weight_quant_few_rows", {{"m", "1"}, {"n", "416"}, {"k", "608"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(WeightQuantFewRows, MoreRowsThanVectorCoresTwoChunksInL1) {
    const KernelRun run = run_kernel("weight_quant_few_rows",
                                     {{"m", "61"},
                                      {"n", "544"},
                                      {"k", "1056"},
                                      {"dtype", "bfloat16"},
                                      {"blocks", "2"},
                                      {"l1_buffers", "2"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

}  // namespace
}  // namespace ascendsim
