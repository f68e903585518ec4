// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class RotaryCases : public ::testing::TestWithParam<Settings> {};

TEST_P(RotaryCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("rotary", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    RotaryCases,
    ::testing::Values(Settings{{"shape", "70,4,128"}, {"dtype", "float16"}},
                      Settings{{"shape", "70,3,64"}, {"dtype", "float32"}, {"positions", "35"}},
                      Settings{{"shape", "300,1,128"}, {"dtype", "bfloat16"}, {"positions", "100"}},
                      Settings{{"shape", "50,2,96"}, {"dtype", "float32"}, {"neighbours", "true"}},
                      Settings{{"shape", "90,1,64"}, {"dtype", "float16"}, {"neighbours", "true"}}));

}  // namespace
}  // namespace ascendsim
