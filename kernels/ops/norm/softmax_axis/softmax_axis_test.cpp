// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class SoftmaxAxisCases : public ::testing::TestWithParam<Settings> {};

TEST_P(SoftmaxAxisCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("softmax_axis", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    SoftmaxAxisCases,
    ::testing::Values(
        Settings{{"shape", "77,301"}, {"dtype", "float16"}},
        Settings{{"shape", "3,20,37"}, {"axis", "1"}, {"dtype", "float32"}},
        Settings{{"shape", "4000,40"}, {"dtype", "bfloat16"}},
        Settings{{"shape", "2,100,150"}, {"axis", "1"}, {"dtype", "float16"}, {"schedule", "library"}},
        // 700 rows of a block and more do not fit beside 20 B an element
        Settings{{"shape", "700,40"}, {"dtype", "float16"}, {"schedule", "library"}},
        Settings{{"shape", "1600,20"}, {"dtype", "float32"}, {"schedule", "library"}}));

}  // namespace
}  // namespace ascendsim
