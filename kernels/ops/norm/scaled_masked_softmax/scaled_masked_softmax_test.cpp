// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;

struct MaskCase {
    const char* shape;
    const char* mask;
    const char* type;
};

void PrintTo(const MaskCase& a, std::ostream* out) {
    *out << a.shape << ' ' << a.mask << ' ' << a.type;
}

class ScaledMaskedSoftmax : public ::testing::TestWithParam<MaskCase> {};

TEST_P(ScaledMaskedSoftmax, AgreesWithTheFormula) {
    const auto [shape, mask, type] = GetParam();
    const KernelRun run = run_kernel("scaled_masked_softmax",
                                     {{"shape", shape}, {"mask", mask}, {"dtype", type}, {"scale", "0.125"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

// Of 17 queries no tile of a core ends with a head: masks of two heads meet in one tile.
INSTANTIATE_TEST_SUITE_P(Kernels,
                         ScaledMaskedSoftmax,
                         ::testing::Values(MaskCase{"2,3,17,96", "2,1,17,96", "float16"},
                                           MaskCase{"2,3,17,96", "1,3,17,96", "bfloat16"},
                                           MaskCase{"2,3,17,32", "2,3,17,32", "float32"},
                                           MaskCase{"5,3,40,1024", "1,1,40,1024", "float16"}));

TEST(ScaledMaskedSoftmaxPlan, ReadsTheMask) {
    // x and y of halves, and a byte of mask for 8 x 128 x 512 scores, whatever the heads.
    EXPECT_EQ(plan_kernel("scaled_masked_softmax", {}).work.gm_bytes, 8ULL * 128 * 512 * (16 * 2 * 2 + 1));
}

TEST(ScaledMaskedSoftmaxPlan, RefusesAMaskOfOtherExtents) {
    EXPECT_THROW(static_cast<void>(plan_kernel("scaled_masked_softmax", {{"mask", "8,2,128,512"}})),
                 UserError);
    EXPECT_THROW(static_cast<void>(plan_kernel("scaled_masked_softmax", {{"shape", "8,16,128,500"}})),
                 UserError);
}

}  // namespace
}  // namespace ascendsim
