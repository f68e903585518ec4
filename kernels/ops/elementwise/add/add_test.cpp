// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "sim/base/error.hpp"
#include "sim/record/testing/temporary_file.hpp"

namespace ascendsim {
namespace {

using testing::KernelRun;
using testing::plan_kernel;
using testing::run_kernel;
using testing::Settings;

/// Shape, type and chip of one run; each is a test of its own, as a process holds one machine.
struct AddCase {
    const char* shape;
    const char* type;
    const char* chip;
};

void PrintTo(const AddCase& a, std::ostream* out) {
    *out << a.shape << ' ' << a.type << ' ' << a.chip;
}

class AddShapes : public ::testing::TestWithParam<AddCase> {};

TEST_P(AddShapes, AddsExactly) {
    const auto [shape, type, chip] = GetParam();
    const KernelRun run = run_kernel("add", {{"shape", shape}, {"dtype", type}}, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         AddShapes,
                         ::testing::Values(AddCase{"1", "float16", "910b3"},
                                           AddCase{"0,7", "float16", "910b3"},
                                           AddCase{"17", "float32", "910b3"},
                                           AddCase{"997,101", "float16", "910b3"},
                                           AddCase{"997,101", "int16", "910b3"},
                                           AddCase{"3,128,64", "int32", "910b3"},
                                           AddCase{"1", "float16", "310p3"},
                                           AddCase{"0,7", "float32", "310p3"},
                                           AddCase{"61,61", "int32", "310p3"},
                                           AddCase{"997,101", "float16", "310p3"},
                                           AddCase{"256,256", "float32", "310p3"}));

TEST(Add, SchedulesAndTilesChangeNoResult) {
    const KernelRun run = run_kernel("add",
                                     {{"shape", "31,4099"},
                                      {"buffers", "1"},
                                      {"tile", "2048"},
                                      {"copy", "512"},
                                      {"blocks", "5"},
                                      {"l2_bypass", "all"}});
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_EQ(run.totals.cores_used, 5U);
}

class AddByHand : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(AddByHand, AddsExactly) {
    const auto [schedule, buffers] = GetParam();
    const KernelRun run = run_kernel("add",
                                     {{"shape", "31,4099"},
                                      {"schedule", schedule},
                                      {"buffers", buffers},
                                      {"tile", "2048"},
                                      {"blocks", "5"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

INSTANTIATE_TEST_SUITE_P(Kernels,
                         AddByHand,
                         ::testing::Values(std::pair{"by_hand", "1"},
                                           std::pair{"by_hand", "2"},
                                           std::pair{"by_turns", "1"},
                                           std::pair{"by_turns", "2"}));

TEST(Add, ScalarLoopAddsExactly) {
    const KernelRun run = run_kernel("add", {{"shape", "3,333"}, {"schedule", "scalar"}});
    EXPECT_TRUE(run.clean()) << run.report();
}

TEST(Add, ScalarLoopTakesManyTimesAsLong) {
    const Settings scalar{{"shape", "64,1024"}, {"blocks", "1"}, {"schedule", "scalar"}};
    const KernelRun run = run_kernel("add", scalar);
    EXPECT_TRUE(run.clean()) << run.report();
    EXPECT_GT(run.totals.cycles, 64U * 1024U * 10U);  // a vector core adds 128 halves a cycle
}

TEST(Add, SaysWhichTileFits) {
    try {
        static_cast<void>(plan_kernel("add", {{"tile", "32768"}}));
        FAIL() << "no error";
    } catch (const UserError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("up to 16384"));
    }
}

TEST(Add, TimingOnlyTakesTheSameCycles) {
    const Settings settings{{"shape", "61,4099"}};
    const std::uint64_t functional =
        testing::in_child([&settings] { return run_kernel("add", settings).totals.cycles; });
    EXPECT_EQ(run_kernel("add", settings, {.functional = false}).totals.cycles, functional);
}

TEST(Add, SpreadBuffersAvoidBankConflicts) {
    const Settings spread{{"shape", "128,8192"}};
    const Settings packed{{"shape", "128,8192"}, {"spread", "false"}, {"tile", "4096"}};
    const auto conflicts = [](const Settings& settings) {
        return testing::in_child([&settings] {
            return run_kernel("add", settings, {.functional = false}).totals.conflict_cycles;
        });
    };
    EXPECT_EQ(conflicts(spread), 0U);
    EXPECT_GT(conflicts(packed), 1000U);
}

TEST(Add, FillsTheUnifiedBufferAndAllCores) {
    const host::Plan plan = plan_kernel("add", {}, "910b1");
    EXPECT_EQ(plan.launches.at(0).blocks, 48U);
    EXPECT_EQ(plan.work.gm_bytes, 3U * 8192U * 8192U * 2U);
}

/// The share of its copies' span, first to last, in which vector core 0 copies in.
double copying_share(const char* buffers) {
    const record::testing::TemporaryFile file;
    static_cast<void>(
        run_kernel("add",
                   {{"shape", "64,16384"}, {"blocks", "4"}, {"tile", "8192"}, {"buffers", buffers}},
                   {.functional = false, .recording = file.path()}));
    const std::vector<bool> busy = testing::busy_cycles(record::Recording{file.path()}, "aiv0", "mte2");
    const auto first = std::ranges::find(busy, true);
    const auto last = std::find(busy.rbegin(), busy.rend(), true).base();
    return static_cast<double>(std::count(first, last, true)) / static_cast<double>(last - first);
}

TEST(Add, OneBufferMakesTheCopiesWaitForTheSums) {
    EXPECT_LT(copying_share("1"), 0.8);
}

TEST(Add, ByTurnsWithOneBufferOverlapsNothing) {
    const record::testing::TemporaryFile file;
    static_cast<void>(run_kernel("add",
                                 {{"shape", "64,16384"},
                                  {"schedule", "by_turns"},
                                  {"blocks", "4"},
                                  {"tile", "8192"},
                                  {"buffers", "1"}},
                                 {.functional = false, .recording = file.path()}));
    const record::Recording recording{file.path()};
    const std::vector<bool> in = testing::busy_cycles(recording, "aiv0", "mte2");
    const std::vector<bool> out = testing::busy_cycles(recording, "aiv0", "mte3");
    ASSERT_GT(std::ranges::count(out, true), 0);
    for (std::size_t cycle = 0; cycle < std::min(in.size(), out.size()); ++cycle) {
        ASSERT_FALSE(in[cycle] && out[cycle]) << "cycle " << cycle;
    }
}

TEST(Add, TwoBuffersKeepTheCopiesGoing) {
    EXPECT_GT(copying_share("2"), 0.95);
}

}  // namespace
}  // namespace ascendsim
