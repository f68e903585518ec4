// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "kernels/ops/attention/apply_rotary/apply_rotary_room.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class ApplyRotaryCases : public ::testing::TestWithParam<Settings> {};

TEST_P(ApplyRotaryCases, TurnsHalvesOfQueriesAndKeys) {
    const KernelRun run = run_kernel("apply_rotary", GetParam(), {.chip = "910b3"});
    EXPECT_TRUE(run.clean()) << run.report();
}

Settings of(const char* tokens, const char* queries, const char* keys, const char* dtype) {
    return {{"tokens", tokens}, {"queries", queries}, {"keys", keys}, {"dtype", dtype}};
}

// One token for each core, some with more heads than tokens, some with fewer, several tiles.
INSTANTIATE_TEST_SUITE_P(Kernels,
                         ApplyRotaryCases,
                         ::testing::Values(of("7", "4", "1", "bfloat16"),
                                           of("9", "8", "2", "float16"),
                                           of("95", "4", "1", "bfloat16"),
                                           of("181", "2", "1", "bfloat16"),
                                           of("401", "1", "1", "float16"),
                                           of("203", "14", "4", "bfloat16")));

// By apply_rotary_pos_emb_tiling.cpp for five heads: 192 KiB / (5 * 2560 + 4 * 256 + 2 * 512) = 13 tokens.
TEST(ApplyRotary, TokensAtATimeAreThoseOfTheOperator) {
    const auto tile = [](const char* tokens) {
        return plan_kernel("apply_rotary", {{"tokens", tokens}, {"queries", "4"}, {"keys", "1"}}, "910b3")
            .chosen.at("tile");
    };
    EXPECT_EQ(tile("40"), 1U);
    EXPECT_EQ(tile("136"), 4U);
    EXPECT_EQ(tile("4096"), 13U);
}

// 192 KiB / (5 * 512 * heads + 4 * 256 + 2 * 512) is one token of 76 heads in bfloat16.
TEST(ApplyRotary, SaysBeforehandWhichHeadsItTakes) {
    constexpr std::uint64_t unified = 192 * 1024;
    const auto plan = [](const char* queries) {
        return plan_kernel(
            "apply_rotary", {{"tokens", "4096"}, {"queries", queries}, {"keys", "8"}}, "910b3");
    };
    EXPECT_TRUE(host::apply_rotary_takes(68, 8, isa::DataType::bfloat16, unified));
    EXPECT_EQ(plan("68").chosen.at("tile"), 1U);
    EXPECT_FALSE(host::apply_rotary_takes(69, 8, isa::DataType::bfloat16, unified));
    EXPECT_THROW(static_cast<void>(plan("69")), UserError);
    EXPECT_TRUE(host::apply_rotary_takes(96, 8, isa::DataType::half, unified));
    EXPECT_FALSE(host::apply_rotary_takes(1, 1, isa::DataType::float32, unified));
}

}  // namespace
}  // namespace ascendsim
