// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;

struct GatingCase {
    const char* tokens;
    const char* experts;
    const char* k;
    const char* renormalise;
};

void PrintTo(const GatingCase& a, std::ostream* out) {
    *out << a.tokens << " tokens, " << a.k << " of " << a.experts;
}

class TopkGatingShapes : public ::testing::TestWithParam<GatingCase> {};

TEST_P(TopkGatingShapes, GivesWeightsAndIndices) {
    const auto [tokens, experts, k, renormalise] = GetParam();
    const KernelRun result =
        run_kernel("topk_gating",
                   {{"tokens", tokens}, {"experts", experts}, {"k", k}, {"renormalise", renormalise}},
                   {.chip = "910b3"});
    EXPECT_TRUE(result.clean()) << result.report();
}

// Groups of 32 experts, fewer, ragged ones, and more than one merge of sorted runs (32 x 4 x 4 = 512).
INSTANTIATE_TEST_SUITE_P(Kernels,
                         TopkGatingShapes,
                         ::testing::Values(GatingCase{"1", "8", "2", "true"},
                                           GatingCase{"67", "64", "6", "true"},
                                           GatingCase{"130", "160", "8", "false"},
                                           GatingCase{"9", "1000", "17", "true"}));

TEST(TopkGating, RefusesMoreKeptExpertsThanThereAre) {
    EXPECT_THROW(static_cast<void>(plan_kernel("topk_gating", {{"experts", "4"}, {"k", "5"}}, "910b3")),
                 UserError);
}

}  // namespace
}  // namespace ascendsim
