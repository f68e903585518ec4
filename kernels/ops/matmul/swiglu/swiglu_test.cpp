// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "kernels/testing/child_run.hpp"
#include "kernels/testing/kernel_run.hpp"
#include "kernels/testing/overlap.hpp"
#include "sim/base/error.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

using record::testing::TemporaryFile;
using ::testing::HasSubstr;
using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

Settings problem(const std::string& x, const std::string& weight, const std::string& schedule) {
    return {{"shape", x}, {"gate", weight}, {"up", weight}, {"schedule", schedule}};
}

Settings with(Settings settings, const Settings& more) {
    settings.insert(settings.end(), more.begin(), more.end());
    return settings;
}

struct SwigluCase {
    const char* x;
    const char* weight;
    const char* schedule;
};

void PrintTo(const SwigluCase& c, std::ostream* out) {
    *out << '[' << c.x << "] [" << c.weight << "] " << c.schedule;
}

class SwigluShapes : public ::testing::TestWithParam<SwigluCase> {};

TEST_P(SwigluShapes, AreComputedToPrecision) {
    const KernelRun run = run_kernel("swiglu", problem(GetParam().x, GetParam().weight, GetParam().schedule));
    EXPECT_TRUE(run.passed()) << run.report();
}

// One element, primes, tails in each dimension, several units to a core, nothing at all.
INSTANTIATE_TEST_SUITE_P(Kernels,
                         SwigluShapes,
                         ::testing::Values(SwigluCase{"1,1,16", "16,1", "optimised"},
                                           SwigluCase{"1,1,16", "16,1", "fused"},
                                           SwigluCase{"1,1,16", "16,1", "native"},
                                           SwigluCase{"1,37,48", "48,17", "optimised"},
                                           SwigluCase{"3,31,272", "272,331", "optimised"},
                                           SwigluCase{"3,31,272", "272,331", "fused"},
                                           SwigluCase{"3,31,272", "272,331", "native"},
                                           SwigluCase{"2,131,560", "560,1024", "optimised"},
                                           SwigluCase{"2,131,560", "560,1024", "native"},
                                           SwigluCase{"0,5,32", "32,64", "optimised"},
                                           SwigluCase{"0,5,32", "32,64", "native"},
                                           SwigluCase{"1,5,32", "32,0", "optimised"}));

struct TilingCase {
    const char* name;
    Settings settings;
};

void PrintTo(const TilingCase& c, std::ostream* out) {
    *out << c.name;
}

class SwigluTilings : public ::testing::TestWithParam<TilingCase> {};

TEST_P(SwigluTilings, ChangeNoResult) {
    const Settings base = problem("1,150,336", "336,210", "optimised");
    const KernelRun run = run_kernel("swiglu", with(base, GetParam().settings));
    EXPECT_TRUE(run.passed()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    SwigluTilings,
    ::testing::Values(
        TilingCase{"one core", {{"cores", "1"}, {"base_m", "32"}, {"base_n", "32"}}},
        TilingCase{"shared", {{"pairing", "shared"}, {"base_m", "32"}, {"base_n", "48"}, {"cores", "2"}}},
        TilingCase{"four slots", {{"slots", "4"}, {"base_m", "16"}, {"base_n", "64"}, {"cores", "3"}}},
        TilingCase{"single buffers", {{"buffers", "1"}, {"base_m", "48"}, {"base_n", "80"}, {"cores", "2"}}},
        TilingCase{"bands", {{"band", "2"}, {"base_m", "16"}, {"base_n", "16"}, {"vector_rows", "3"}}},
        TilingCase{"chunks", {{"base_k", "16"}, {"step_k", "3"}, {"stagger", "off"}}},
        TilingCase{"late starts", {{"base_k", "32"}, {"step_k", "2"}, {"stagger", "on"}, {"base_m", "16"}}}));

TEST(Swiglu, GradientsAgreeWithTheirFormulas) {
    const KernelRun run =
        run_kernel("swiglu", with(problem("2,67,80", "80,131", "optimised"), {{"pass", "backward"}}));
    EXPECT_TRUE(run.passed()) << run.report();
}

TEST(Swiglu, CubeAndVectorCoresTakeTurnsWhenFused) {
    const TemporaryFile file;
    const KernelRun run = run_kernel("swiglu",
                                     with(problem("1,512,512", "512,512", "fused"), {{"cores", "1"}}),
                                     {.functional = false, .recording = file.path()});
    const testing::Overlap overlap = testing::cube_vector_overlap(file.path());
    EXPECT_GT(overlap.vector, 0U);
    EXPECT_EQ(overlap.both, 0U);
}

TEST(Swiglu, CubeWorksOnWhileVectorCoresFinishItsTilesWhenOptimised) {
    const TemporaryFile file;
    const KernelRun run = run_kernel("swiglu",
                                     with(problem("1,512,512", "512,512", "optimised"), {{"cores", "1"}}),
                                     {.functional = false, .recording = file.path()});
    // Two rows of four units: the vector cores' work on all but the last runs beside the cube's next.
    EXPECT_GT(testing::cube_vector_overlap(file.path()).share(), 0.5);
}

TEST(Swiglu, OptimisedKeepsTheCubeBusy) {
    const TemporaryFile file;
    const KernelRun run = run_kernel("swiglu",
                                     problem("3,512,4096", "4096,4096", "optimised"),
                                     {.chip = "910b1", .functional = false, .recording = file.path()});
    // Good kernels reach 70 to 85 % of the peak on silicon; 192 units fill all 24 cores eight times.
    EXPECT_GT(testing::busy_share(file.path(), "cube"), 0.7);
}

TEST(Swiglu, TimesDoNotDependOnComputingTheNumbers) {
    const Settings settings = problem("1,200,128", "128,400", "optimised");
    const auto cycles = [&](bool functional) {
        return run_kernel("swiglu", settings, {.functional = functional}).totals.cycles;
    };
    const std::uint64_t timing_only = testing::in_child([&] { return cycles(false); });
    EXPECT_EQ(cycles(true), timing_only);
}

TEST(Swiglu, EachScheduleIsFasterThanTheOneBefore) {
    const auto cycles = [](const std::string& schedule) {
        const Settings settings = problem("2,512,4096", "4096,4096", schedule);
        return run_kernel("swiglu", settings, {.chip = "910b1", .functional = false}).totals.cycles;
    };
    const std::uint64_t native = testing::in_child([&] { return cycles("native"); });
    const std::uint64_t fused = testing::in_child([&] { return cycles("fused"); });
    EXPECT_LT(fused, native);
    EXPECT_LT(cycles("optimised"), fused);
}

TEST(Swiglu, NativeLaunchesTakeTheSizesOfTiles) {
    const auto cycles = [](const char* base_n) {
        const Settings settings =
            with(problem("1,512,1024", "1024,1024", "native"), {{"base_m", "128"}, {"base_n", base_n}});
        return run_kernel("swiglu", settings, {.chip = "910b1", .functional = false}).totals.cycles;
    };
    const std::uint64_t wide = testing::in_child([&] { return cycles("128"); });
    EXPECT_GT(cycles("32"), wide);  // four times the loads of A
}

struct BadCase {
    const char* name;
    Settings settings;
    const char* message;
};

void PrintTo(const BadCase& c, std::ostream* out) {
    *out << c.name;
}

class SwigluArguments : public ::testing::TestWithParam<BadCase> {};

TEST_P(SwigluArguments, AreRefusedWithTheirReason) {
    const Settings settings = with(problem("1,32,64", "64,48", "optimised"), GetParam().settings);
    try {
        static_cast<void>(plan_kernel("swiglu", settings));
        FAIL() << "accepted";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), HasSubstr(GetParam().message));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Kernels,
    SwigluArguments,
    ::testing::Values(
        BadCase{"rank 2", {{"shape", "32,64"}}, "it must have rank 3"},
        BadCase{"rank 4", {{"shape", "1,1,32,64"}}, "it must have rank 3"},
        BadCase{"native tile",
                {{"schedule", "native"}, {"base_m", "512"}, {"base_n", "512"}},
                "0 lets the host choose"},
        BadCase{"type", {{"dtype", "float32"}}, "the kernels take float16"},
        BadCase{"hidden", {{"shape", "1,32,80"}}, "they must be equal"},
        BadCase{"odd hidden", {{"shape", "1,32,40"}, {"gate", "40,48"}, {"up", "40,48"}}, "multiple of 16"},
        BadCase{"no hidden", {{"shape", "1,32,0"}, {"gate", "0,48"}, {"up", "0,48"}}, "multiple of 16"},
        BadCase{"unlike weights", {{"up", "64,64"}}, "must have the same extents"},
        BadCase{"weight rank", {{"gate", "64"}}, "must have rank 2"},
        BadCase{"tile", {{"base_m", "24"}}, "multiple of 16"},
        BadCase{"large tile", {{"base_m", "512"}, {"base_n", "512"}}, "fits"},
        BadCase{"cores", {{"cores", "64"}}, "cube cores"}));

TEST(Swiglu, NeedsSplitCores) {
    EXPECT_THROW(static_cast<void>(plan_kernel("swiglu", problem("1,32,64", "64,48", "native"), "910a")),
                 UserError);
}

}  // namespace
}  // namespace ascendsim
