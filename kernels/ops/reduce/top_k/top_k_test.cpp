// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class TopKCases : public ::testing::TestWithParam<Settings> {};

TEST_P(TopKCases, FindsTheLargest) {
    const KernelRun run = run_kernel("top_k", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    TopKCases,
    ::testing::Values(Settings{{"shape", "61,128"}, {"k", "8"}, {"dtype", "float32"}},
                      Settings{{"shape", "61,1021"}, {"k", "100"}, {"dtype", "float32"}},
                      Settings{{"shape", "130,64"}, {"k", "2"}, {"dtype", "bfloat16"}, {"softmax", "true"}},
                      Settings{{"shape", "130,40"}, {"k", "40"}, {"dtype", "float32"}, {"softmax", "true"}},
                      Settings{{"shape", "130,16"}, {"k", "2"}, {"dtype", "float16"}, {"together", "true"}},
                      Settings{{"shape", "301,64"}, {"k", "8"}, {"dtype", "float32"}, {"together", "true"}},
                      Settings{{"shape", "400,32"},  // short rows, whose folds take 64 floats
                               {"k", "4"},
                               {"dtype", "float32"},
                               {"blocks", "1"},
                               {"together", "true"},
                               {"softmax", "true"},
                               {"sources", "true"}},
                      Settings{{"shape", "61,256"},
                               {"k", "8"},
                               {"dtype", "float32"},
                               {"together", "true"},
                               {"softmax", "true"},
                               {"sources", "true"}},
                      Settings{{"shape", "61,1024"}, {"k", "1000"}, {"dtype", "float32"}, {"pairs", "true"}},
                      Settings{{"shape", "5,1024"}, {"k", "40"}, {"dtype", "float16"}, {"pairs", "true"}},
                      // 736 = 512 + 128 + 3 x 32: what whole fours leave is joined in runs of 128 and of 32
                      Settings{{"shape", "7,736"}, {"k", "100"}, {"dtype", "float32"}, {"pairs", "true"}},
                      Settings{{"shape", "3,32"}, {"k", "32"}, {"dtype", "float32"}, {"pairs", "true"}},
                      Settings{
                          {"shape", "61,1000"}, {"k", "5"}, {"dtype", "float32"}, {"together", "true"}}));

}  // namespace
}  // namespace ascendsim
