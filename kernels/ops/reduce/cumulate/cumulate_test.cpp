// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class CumulateCases : public ::testing::TestWithParam<Settings> {};

TEST_P(CumulateCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("cumulate", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    CumulateCases,
    ::testing::Values(
        Settings{{"shape", "300,129"}, {"dtype", "float32"}},
        Settings{{"shape", "3,50,1000"}, {"axis", "1"}, {"dtype", "float16"}},
        Settings{{"shape", "70,64"}, {"kind", "product"}, {"dtype", "float32"}},
        Settings{{"shape", "90,77"}, {"kind", "maximum"}, {"dtype", "bfloat16"}},
        Settings{{"shape", "200,90"}, {"kind", "minimum"}, {"indices", "true"}, {"dtype", "float32"}},
        Settings{{"shape", "2,99,40"},
                 {"axis", "1"},
                 {"kind", "maximum"},
                 {"indices", "true"},
                 {"dtype", "float16"}}));

}  // namespace
}  // namespace ascendsim
