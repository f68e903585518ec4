// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

class RowMathCases : public ::testing::TestWithParam<Settings> {};

TEST_P(RowMathCases, AgreesWithTheFormula) {
    const KernelRun run = run_kernel("row_math", GetParam());
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* kind, const char* dtype, const char* shape, Settings more = {}) {
    Settings settings{{"kind", kind}, {"dtype", dtype}, {"shape", shape}};
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         RowMathCases,
                         ::testing::Values(of("log_softmax", "float32", "70,129"),
                                           of("log_softmax", "float16", "33,1024"),
                                           of("cross_entropy", "float32", "130,1000"),
                                           of("cross_entropy", "bfloat16", "77,130", {{"mean", "true"}}),
                                           of("l1_norm", "float32", "16,4000"),
                                           of("l2_norm", "float16", "70,333"),
                                           of("softmax_grad", "float32", "99,513"),
                                           of("softmax_grad", "float16", "99,64"),
                                           of("log_softmax_grad", "bfloat16", "99,80"),
                                           of("rms_norm_grad", "float32", "101,768"),
                                           of("rms_norm_grad", "float16", "60,333"),
                                           of("layer_norm_grad", "float32", "101,768"),
                                           of("layer_norm_grad", "bfloat16", "60,80")));

}  // namespace
}  // namespace ascendsim
