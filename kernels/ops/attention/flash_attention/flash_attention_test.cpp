// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/attention_case.hpp"
#include "kernels/testing/child_run.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "kernels/testing/overlap.hpp"
#include "sim/base/error.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

using record::testing::TemporaryFile;
using testing::attention_sizes;
using testing::AttentionCase;
using ::testing::HasSubstr;
using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

class Attention : public ::testing::TestWithParam<AttentionCase> {};

TEST_P(Attention, IsComputedToPrecision) {
    const KernelRun run = run_kernel("flash_attention", GetParam().settings);
    EXPECT_TRUE(run.passed()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    Attention,
    ::testing::Values(
        AttentionCase{"one of everything", attention_sizes("1", "1", "1", "1", "1")},
        AttentionCase{"image to text", attention_sizes("2", "197", "77", "16", "80")},
        AttentionCase{"text to image", attention_sizes("2", "77", "197", "16", "80")},
        AttentionCase{"tiles of the original",
                      attention_sizes("1", "197", "77", "3", "80", {{"tile_m", "64"}, {"tile_n", "64"}})},
        AttentionCase{"primes", attention_sizes("3", "131", "149", "5", "73")},
        AttentionCase{"many key tiles", attention_sizes("1", "50", "1000", "2", "64", {{"tile_n", "48"}})},
        AttentionCase{"in turns",
                      attention_sizes("1", "150", "300", "4", "80", {{"stages", "1"}, {"tile_n", "32"}})},
        AttentionCase{"two stages",
                      attention_sizes(
                          "1", "150", "300", "4", "80", {{"stages", "2"}, {"tile_n", "32"}, {"cores", "3"}})},
        AttentionCase{"one core",
                      attention_sizes("1", "33", "65", "7", "16", {{"cores", "1"}, {"tile_n", "64"}})},
        AttentionCase{"bfloat16", attention_sizes("1", "100", "200", "3", "128", {{"dtype", "bfloat16"}})},
        AttentionCase{
            "causal",
            attention_sizes(
                "1", "200", "200", "3", "80", {{"causal", "true"}, {"tile_m", "48"}, {"tile_n", "64"}})},
        AttentionCase{
            "causal with a past",
            attention_sizes(
                "1", "61", "307", "2", "40", {{"causal", "true"}, {"tile_m", "32"}, {"tile_n", "80"}})},
        AttentionCase{
            "causal by single rows",
            attention_sizes(
                "1", "37", "37", "1", "16", {{"causal", "true"}, {"tile_m", "16"}, {"tile_n", "16"}})},
        AttentionCase{"masked", attention_sizes("2", "67", "219", "2", "80", {{"mask", "true"}})},
        AttentionCase{"shared key heads", attention_sizes("1", "90", "130", "6", "64", {{"kv_heads", "2"}})},
        AttentionCase{"one key head",
                      attention_sizes("2", "20", "30", "4", "64", {{"kv_heads", "1"}, {"causal", "true"}})},
        AttentionCase{
            "heads apart",
            attention_sizes(
                "2", "99", "201", "4", "80", {{"layout", "bnsd"}, {"kv_heads", "2"}, {"causal", "true"}})},
        AttentionCase{"no query", attention_sizes("1", "0", "30", "4", "64")}));

TEST(FlashAttention, CubeComputesTheNextScoresDuringSoftmax) {
    const TemporaryFile file;
    const KernelRun run = run_kernel("flash_attention",
                                     attention_sizes("1", "128", "2048", "1", "128", {{"stages", "3"}}),
                                     {.functional = false, .recording = file.path()});
    const testing::Overlap overlap = testing::cube_vector_overlap(file.path());
    // The cube works less than the vector cores: most of its work hides behind theirs.
    EXPECT_GT(static_cast<double>(overlap.both), 0.5 * static_cast<double>(overlap.cube));
}

TEST(FlashAttention, OneStageOverlapsNothing) {
    const TemporaryFile file;
    const KernelRun run = run_kernel("flash_attention",
                                     attention_sizes("1", "128", "2048", "1", "128", {{"stages", "1"}}),
                                     {.functional = false, .recording = file.path()});
    const testing::Overlap overlap = testing::cube_vector_overlap(file.path());
    EXPECT_LT(overlap.share(), 0.05);
    EXPECT_GT(overlap.cube, 0U);
}

TEST(FlashAttention, MoreStagesAreFaster) {
    const auto cycles = [](const char* stages) {
        const Settings settings = attention_sizes("4", "197", "77", "16", "80", {{"stages", stages}});
        return run_kernel("flash_attention", settings, {.functional = false}).totals.cycles;
    };
    const std::uint64_t one = testing::in_child([&] { return cycles("1"); });
    const std::uint64_t two = testing::in_child([&] { return cycles("2"); });
    EXPECT_LT(two, one);
    EXPECT_LT(cycles("3"), two);
}

TEST(FlashAttention, TimesDoNotDependOnComputingTheNumbers) {
    const auto cycles = [](bool functional) {
        const Settings settings = attention_sizes("1", "200", "333", "2", "80", {{"causal", "true"}});
        return run_kernel("flash_attention", settings, {.functional = functional}).totals.cycles;
    };
    const std::uint64_t timing_only = testing::in_child([&] { return cycles(false); });
    EXPECT_EQ(cycles(true), timing_only);
}

struct BadCase {
    const char* name;
    Settings settings;
    const char* message;
};

void PrintTo(const BadCase& c, std::ostream* out) {
    *out << c.name;
}

class AttentionArguments : public ::testing::TestWithParam<BadCase> {};

TEST_P(AttentionArguments, AreRefusedWithTheirReason) {
    try {
        static_cast<void>(plan_kernel("flash_attention", GetParam().settings));
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    AttentionArguments,
    ::testing::Values(
        BadCase{"groups", {{"heads", "16"}, {"kv_heads", "5"}}, "equal groups"},
        BadCase{"two masks", {{"causal", "true"}, {"mask", "true"}, {"kv_len", "300"}}, "mask already"},
        BadCase{"blind queries", {{"causal", "true"}}, "would see none"},
        BadCase{"tile", {{"tile_m", "40"}}, "multiple of 16"},
        BadCase{"cores", {{"cores", "64"}}, "cube cores"},
        BadCase{"wide heads", {{"head_dim", "256"}}, "128"},
        BadCase{"type", {{"dtype", "float32"}}, "float16"}));

TEST(FlashAttention, NeedsSplitCores) {
    EXPECT_THROW(static_cast<void>(plan_kernel("flash_attention", {}, "310p3")), UserError);
}

}  // namespace
}  // namespace ascendsim
