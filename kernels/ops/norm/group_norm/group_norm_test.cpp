// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class GroupNormCases : public ::testing::TestWithParam<Settings> {};

TEST_P(GroupNormCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("group_norm", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    GroupNormCases,
    ::testing::Values(
        Settings{{"shape", "2,12,5,9"}, {"groups", "3"}, {"dtype", "float16"}, {"silu", "true"}},
        Settings{{"shape", "1,6,9001"}, {"groups", "2"}, {"dtype", "float32"}},
        Settings{{"shape", "2,9,131"}, {"groups", "3"}, {"dtype", "float32"}, {"silu", "true"}},
        Settings{{"shape", "3,8,64"}, {"groups", "1"}, {"dtype", "bfloat16"}},  // a group fits a buffer
        Settings{{"shape", "1,6,2048"},
                 {"groups", "1"},
                 {"dtype", "float16"},
                 {"silu", "true"}},  // 4 channels, then 2
        Settings{{"shape", "1,6,2048"}, {"groups", "1"}, {"dtype", "float32"}},
        Settings{{"shape", "2,8,5"}, {"groups", "4"}, {"dtype", "float16"}},  // channels shorter than a block
        Settings{
            {"shape", "9,41"}, {"groups", "1"}, {"dtype", "float16"}, {"silu", "true"}},  // channels of one
        Settings{{"shape", "3,6000"}, {"groups", "2"}, {"dtype", "float32"}},
        Settings{{"shape", "5,16"}, {"groups", "4"}, {"dtype", "bfloat16"}},
        Settings{{"shape", "1,4001,8"}, {"groups", "4001"}, {"dtype", "float32"}}));  // more weights than fit

}  // namespace
}  // namespace ascendsim
