// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/attention_case.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

using testing::attention_sizes;
using testing::AttentionCase;
using ::testing::HasSubstr;
using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class AttentionGrad : public ::testing::TestWithParam<AttentionCase> {};

TEST_P(AttentionGrad, IsComputedToPrecision) {
    const KernelRun run = run_kernel("attention_grad", GetParam().settings);
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    AttentionGrad,
    ::testing::Values(
        AttentionCase{"one query and key", attention_sizes("1", "1", "1", "1", "16")},
        AttentionCase{"primes", attention_sizes("2", "67", "149", "3", "48")},
        AttentionCase{
            "many tiles",
            attention_sizes(
                "1", "100", "210", "2", "64", {{"tile_m", "32"}, {"tile_n", "48"}, {"cores", "2"}})},
        AttentionCase{"causal",
                      attention_sizes("1", "150", "150", "2", "128", {{"causal", "true"}, {"tile_m", "64"}})},
        AttentionCase{"causal with a past, heads apart",
                      attention_sizes("1", "70", "133", "2", "80", {{"causal", "true"}, {"layout", "bnsd"}})},
        AttentionCase{
            "shared key heads, bfloat16",
            attention_sizes("1", "90", "130", "4", "64", {{"kv_heads", "2"}, {"dtype", "bfloat16"}})}));

TEST(AttentionGradients, CausalSkipsWhatNoQuerySees) {
    const auto cycles = [](const char* causal) {
        return testing::in_child([&] {
            return run_kernel(
                       "attention_grad",
                       attention_sizes("1", "2048", "2048", "4", "128", {{"causal", causal}, {"cores", "8"}}),
                       {.functional = false})
                .totals.cycles;
        });
    };
    // Of 4 tiles of 512 keys, tiles of queries see 1, 2, 3 and 4, the last of them in part.
    EXPECT_LT(cycles("true") * 4, cycles("false") * 3);
}

TEST(AttentionGradients, TimesDoNotDependOnComputingTheNumbers) {
    const Settings settings =
        attention_sizes("1", "70", "133", "2", "80", {{"causal", "true"}, {"dtype", "bfloat16"}});
    const std::uint64_t timing_only = testing::in_child(
        [&] { return run_kernel("attention_grad", settings, {.functional = false}).totals.cycles; });
    EXPECT_EQ(run_kernel("attention_grad", settings).totals.cycles, timing_only);
}

TEST(AttentionGradients, RefusesWhatItCannotCompute) {
    const auto refused = [](const Settings& settings, const char* message) {
        try {
            static_cast<void>(plan_kernel("attention_grad", settings));
            ADD_FAILURE() << "accepted; expected: " << message;
        } catch (const UserError& error) {
            EXPECT_THAT(error.what(), HasSubstr(message));
        }
    };
    refused({{"head_dim", "72"}}, "multiple of 16");
    refused({{"heads", "8"}, {"kv_heads", "3"}}, "equal groups");
    refused({{"causal", "true"}, {"q_len", "200"}, {"kv_len", "100"}}, "would see none");
    refused({{"cores", "64"}}, "cube cores");
}

}  // namespace
}  // namespace ascendsim
