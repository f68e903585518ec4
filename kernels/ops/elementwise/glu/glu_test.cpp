// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class GluCases : public ::testing::TestWithParam<Settings> {};

TEST_P(GluCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("glu", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    GluCases,
    ::testing::Values(
        Settings{{"shape", "61,1018"}, {"dtype", "float16"}},
        Settings{{"shape", "6,2049"}, {"axis", "0"}, {"dtype", "bfloat16"}},
        Settings{{"shape", "301,14"}, {"dtype", "float32"}, {"gate", "gelu"}},
        Settings{{"shape", "3,8,70"}, {"axis", "1"}, {"dtype", "float16"}, {"swap", "true"}},
        Settings{{"shape", "61,512"}, {"dtype", "bfloat16"}, {"quant", "true"}, {"smooth", "true"}},
        Settings{{"shape", "61,514"}, {"dtype", "float16"}, {"quant", "true"}},
        Settings{{"shape", "61,514"}, {"dtype", "int32"}, {"smooth", "true"}},
        Settings{{"shape", "130,64"}, {"dtype", "int32"}, {"swap", "true"}},
        Settings{{"shape", "130,2016"}, {"dtype", "float16"}, {"schedule", "library"}},
        Settings{{"shape", "301,14"}, {"dtype", "bfloat16"}, {"schedule", "library"}},
        Settings{{"shape", "61,1018"}, {"dtype", "float32"}, {"schedule", "library"}},
        Settings{{"shape", "61,514"}, {"dtype", "int32"}, {"schedule", "library"}},
        Settings{{"shape", "130,128"}, {"dtype", "int32"}, {"schedule", "library"}, {"smooth", "true"}},
        Settings{{"shape", "130,128"}, {"dtype", "bfloat16"}, {"schedule", "library"}, {"quant", "true"}},
        Settings{{"shape", "190,514"},
                 {"dtype", "float16"},
                 {"schedule", "library"},
                 {"quant", "true"},
                 {"smooth", "true"},
                 {"swap", "true"}}));

}  // namespace
}  // namespace ascendsim
