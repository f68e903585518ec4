// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class MoeFinalizeCases : public ::testing::TestWithParam<Settings> {};

TEST_P(MoeFinalizeCases, AddsWhatTheExpertsMade) {
    const KernelRun run = run_kernel("moe_finalize", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    MoeFinalizeCases,
    ::testing::Values(
        Settings{{"shape", "101,256"}, {"k", "4"}, {"dtype", "float16"}},
        Settings{{"shape", "53,511"}, {"k", "3"}, {"dtype", "float32"}, {"skips", "1"}, {"bias", "false"}},
        Settings{{"shape", "53,64"}, {"dtype", "bfloat16"}, {"skips", "0"}, {"scaled", "false"}},
        Settings{{"schedule", "library"},
                 {"shape", "101,256"},
                 {"k", "4"},
                 {"dtype", "float16"},
                 {"by_expert", "true"}},
        Settings{
            {"schedule", "library"}, {"shape", "53,511"}, {"k", "3"}, {"dtype", "float32"}, {"skips", "0"}},
        Settings{{"schedule", "library"},
                 {"shape", "97,1021"},
                 {"k", "1"},
                 {"dtype", "float32"},
                 {"bias", "false"},
                 {"scaled", "false"}},
        Settings{{"schedule", "library"},
                 {"shape", "53,65"},
                 {"k", "5"},
                 {"dtype", "bfloat16"},
                 {"skips", "1"},
                 {"by_expert", "true"}},
        // As wide as fits, where no bias takes room.
        Settings{{"schedule", "library"},
                 {"shape", "45,7168"},
                 {"dtype", "bfloat16"},
                 {"skips", "0"},
                 {"bias", "false"}}));

}  // namespace
}  // namespace ascendsim
