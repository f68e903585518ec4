// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class BatchNormCases : public ::testing::TestWithParam<Settings> {};

TEST_P(BatchNormCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("batch_norm", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         BatchNormCases,
                         ::testing::Values(Settings{{"shape", "8,16,12,12"}, {"dtype", "float32"}},
                                           Settings{{"shape", "3,5,11,13"}, {"dtype", "float16"}},
                                           Settings{{"shape", "2,3,20000"}, {"dtype", "bfloat16"}}));

}  // namespace
}  // namespace ascendsim
