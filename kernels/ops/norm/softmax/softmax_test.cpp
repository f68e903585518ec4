// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;

struct SoftmaxCase {
    const char* shape;
    const char* type;
    const char* schedule;
    const char* chip;
};

void PrintTo(const SoftmaxCase& a, std::ostream* out) {
    *out << a.shape << ' ' << a.type << ' ' << a.schedule << ' ' << a.chip;
}

class SoftmaxShapes : public ::testing::TestWithParam<SoftmaxCase> {};

TEST_P(SoftmaxShapes, AgreesWithTheFormula) {
    const auto [shape, type, schedule, chip] = GetParam();
    const KernelRun run =
        run_kernel("softmax", {{"shape", shape}, {"dtype", type}, {"schedule", schedule}}, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         SoftmaxShapes,
                         ::testing::Values(SoftmaxCase{"1", "float16", "auto", "910b3"},
                                           SoftmaxCase{"0,77", "float16", "auto", "910b3"},
                                           SoftmaxCase{"5,1", "float32", "auto", "910b3"},
                                           SoftmaxCase{"31,7", "float16", "auto", "910b3"},
                                           SoftmaxCase{"197,77", "float16", "auto", "910b3"},
                                           SoftmaxCase{"77,197", "bfloat16", "auto", "910b3"},
                                           SoftmaxCase{"509,512", "float32", "auto", "910b3"},
                                           SoftmaxCase{"13,5003", "float16", "auto", "910b3"},
                                           SoftmaxCase{"3,16384", "float16", "auto", "910b3"},
                                           SoftmaxCase{"3,40009", "float16", "auto", "910b3"},
                                           SoftmaxCase{"2,50257", "float32", "auto", "910b3"},
                                           SoftmaxCase{"7,1001", "float16", "online", "910b3"},
                                           SoftmaxCase{"301,67", "float32", "library", "910b3"},
                                           SoftmaxCase{"77,1000", "bfloat16", "library", "910b3"},
                                           SoftmaxCase{"31,7", "float16", "library", "910b3"},
                                           SoftmaxCase{"2,20000", "float16", "library", "910b3"},
                                           SoftmaxCase{"197,80", "float16", "auto", "310p3"},
                                           SoftmaxCase{"3,65536", "float16", "auto", "310p3"}));

TEST(Softmax, ReadsShortRowsOnceAndLongRowsTwice) {
    EXPECT_THAT(plan_kernel("softmax", {{"shape", "8,8192"}}).problem, ::testing::HasSubstr("rows"));
    EXPECT_THAT(plan_kernel("softmax", {{"shape", "8,65536"}}).problem, ::testing::HasSubstr("online"));
}

TEST(Softmax, OldChipsTakeWholeBlocksOnly) {
    EXPECT_THROW(static_cast<void>(plan_kernel("softmax", {{"shape", "197,77"}}, "310p3")), UserError);
}

TEST(Softmax, ReadingOnceIsQuicker) {
    const auto cycles = [](const char* schedule) {
        return testing::in_child([schedule] {
            return run_kernel(
                       "softmax", {{"shape", "512,4096"}, {"schedule", schedule}}, {.functional = false})
                .totals.cycles;
        });
    };
    EXPECT_LT(cycles("rows"), cycles("online"));
}

}  // namespace
}  // namespace ascendsim
