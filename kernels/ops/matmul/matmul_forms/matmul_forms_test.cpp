// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;

class MatmulForms : public ::testing::TestWithParam<const char*> {};

TEST_P(MatmulForms, GivesTheReference) {
    const KernelRun run = run_kernel("matmul_forms", {{"form", GetParam()}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(,
                         MatmulForms,
                         ::testing::Values("batch", "inner", "local", "value", "upper", "lower"));

}  // namespace
}  // namespace ascendsim
