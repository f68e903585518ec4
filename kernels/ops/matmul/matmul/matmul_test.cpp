// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <gmock/gmock.h>

#include "kernels/testing/kernel_run.hpp"
#include "kernels/testing/plain_run.hpp"

namespace ascendsim {
namespace {

class MatmulTest : public ::testing::Test {
protected:
    MatmulTest() : trace_{__FILE__, __LINE__, "seed " + std::to_string(seed_)} {}

    std::int64_t random(int low, int high) { return std::uniform_int_distribution<int>{low, high}(random_); }

    bool coin() { return random(0, 1) == 1; }

    std::string one_of(std::initializer_list<const char*> words) {
        return *(words.begin() + random(0, static_cast<int>(words.size()) - 1));
    }

    /// Sizes 1, primes, tails and whole tiles.
    std::int64_t any_size() { return random(0, 4) == 0 ? 1 : random(1, 300); }

    host::Knobs sized(std::int64_t m, std::int64_t n, std::int64_t k) {
        host::Knobs knobs = run_.knobs();
        knobs.set("m", m);
        knobs.set("n", n);
        knobs.set("k", k);
        return knobs;
    }

    void expect_right(const host::Knobs& knobs) {
        const std::vector<host::Comparison> results = run_.run(knobs, seed_);
        ASSERT_EQ(results.size(), 1U);
        EXPECT_EQ(results[0].failures, 0U)
            << run_.plan(knobs).problem << ": max error " << results[0].max_absolute;
        EXPECT_EQ(results[0].count, static_cast<std::uint64_t>(knobs.integer("m") * knobs.integer("n")));
    }

    std::string refusal(const host::Knobs& knobs) {
        try {
            static_cast<void>(run_.plan(knobs));
        } catch (const UserError& error) {
            return error.what();
        }
        return {};
    }

    std::uint32_t seed_ = std::random_device{}();
    std::mt19937 random_{seed_};
    ::testing::ScopedTrace trace_;
    testing::PlainRun run_{"matmul"};
};

TEST_F(MatmulTest, RandomShapesTypesTransposesAndSchedules) {
    int ran = 0;
    for (int trial = 0; trial < 80; ++trial) {
        host::Knobs knobs = sized(any_size(), any_size(), random(0, 6) == 0 ? 1 : random(1, 700));
        knobs.set("dtype", one_of({"float16", "bfloat16", "float32", "int8"}));
        if (knobs.word("dtype") != "int8") {
            knobs.set("out_dtype", one_of({"auto", "float16", "bfloat16", "float32"}));
        }
        knobs.set("transpose_a", coin());
        knobs.set("transpose_b", coin());
        knobs.set("unit_flag", coin());
        knobs.set("load3d", coin());
        if (coin()) {
            knobs.set("base_m", 32 * random(1, 4));
            knobs.set("base_n", 32 * random(1, 4));
            knobs.set("base_k", 32 * random(1, 2));
            knobs.set("step_k", random(1, 3));
            knobs.set("step_k_b", knobs.integer("step_k") * random(0, 2));
        }
        for (const char* buffers : {"l1_buffers", "l0_buffers", "l0c_buffers"}) {
            knobs.set(buffers, random(0, 2));
        }
        knobs.set("blocks", random(0, 24));
        knobs.set("schedule", one_of({"swizzle", "grid"}));
        knobs.set("swizzle", random(0, 5));
        knobs.set("direction", one_of({"rows", "columns"}));
        knobs.set("split_k", random(0, 2) == 0 ? random(2, 4) : 0);
        knobs.set("rounds", random(1, 3));
        if (coin()) {  // a single row of cores shares the columns, whole tiles or not
            const std::int64_t cores = random(1, 24);
            knobs.set("blocks", cores);
            knobs.set("grid_m", 1);
            knobs.set("core_columns", (knobs.integer("n") + cores - 1) / cores);
        }
        // 96 x 128 float32 with twice three steps of 64 in two buffers are more than L1 has.
        if (refusal(knobs).find("with these buffer counts fits") != std::string::npos) {
            continue;
        }
        ++ran;
        expect_right(knobs);
    }
    EXPECT_GE(ran, 60);
}

TEST_F(MatmulTest, ALongerChunkOfOneOperandServesSeveralOfTheOther) {
    for (const auto& [a, b] : {std::pair{1, 4}, std::pair{4, 1}, std::pair{2, 4}}) {
        host::Knobs knobs = sized(100, 200, 700);
        knobs.set("base_m", 64);
        knobs.set("base_n", 64);
        knobs.set("base_k", 32);
        knobs.set("step_k", a);
        knobs.set("step_k_b", b);
        for (const int buffers : {1, 2}) {
            knobs.set("l1_buffers", buffers);
            expect_right(knobs);
        }
    }
}

TEST_F(MatmulTest, SeveralProductsHaveABEach) {
    for (int trial = 0; trial < 12; ++trial) {
        host::Knobs knobs = sized(random(1, 150), random(1, 300), random(1, 200));
        knobs.set("transpose_b", coin());
        knobs.set("blocks", random(0, 24));
        if (coin()) {
            knobs.set("groups", random(2, 5));
            knobs.set("dtype", one_of({"float16", "float32", "int8"}));
            const std::vector<host::Comparison> results = run_.run(knobs, seed_);
            EXPECT_EQ(results.at(0).failures, 0U) << run_.plan(knobs).problem;
            continue;
        }
        // Empty groups, and rows behind the last one, are none of its work.
        const auto m = static_cast<std::uint64_t>(knobs.integer("m"));
        knobs.set("group_ends", host::Shape{m / 3, m / 3, m / 2, m});
        expect_right(knobs);
    }
}

TEST_F(MatmulTest, BInBlocksGivesTheSameProduct) {
    for (const char* const type : {"float16", "bfloat16", "int8"}) {
        host::Knobs knobs = sized(random(1, 200), 32 * random(1, 8), 32 * random(1, 20));
        knobs.set("dtype", std::string{type});
        knobs.set("b_format", std::string{"nz"});
        knobs.set("step_k", random(1, 3));
        expect_right(knobs);
        if (std::string{type} == "int8") {
            knobs.set("out_dtype", std::string{"float16"});
            expect_right(knobs);
        }
    }
}

TEST_F(MatmulTest, LargeTilesPitchesBeyond16BitsAndHf32) {
    expect_right(sized(300, 520, 1100));
    expect_right(sized(3, 5, 70000));  // rows of A lie further apart than one copy can say
    host::Knobs knobs = sized(70, 90, 333);
    knobs.set("dtype", std::string{"float32"});
    knobs.set("hf32", true);
    expect_right(knobs);
}

TEST_F(MatmulTest, EmptySidesDoNothingAndAnEmptyKGivesZeros) {
    expect_right(sized(0, 10, 10));
    expect_right(sized(10, 0, 10));
    host::Knobs knobs = sized(37, 41, 0);
    for (const char* type : {"float16", "float32", "int8"}) {
        knobs.set("dtype", std::string{type});
        expect_right(knobs);
    }
}

TEST_F(MatmulTest, AWrongElementIsNoticed) {
    // The tolerance is narrow: it must not hide one product left out of 256.
    const host::Plan plan = run_.plan(sized(16, 16, 256));
    EXPECT_LT(plan.tolerances[0].absolute, 1e-3);
    EXPECT_LE(plan.tolerances[0].ulp, 1U);
}

TEST_F(MatmulTest, ThePlanSaysWhatItChose) {
    host::Knobs knobs = sized(256, 256, 256);
    const host::Plan open = run_.plan(knobs);
    for (const auto& [knob, value] : open.chosen) {
        EXPECT_GT(value, 0U) << knob;
    }
    knobs.set("base_m", static_cast<std::int64_t>(open.chosen.at("base_m")));
    knobs.set("base_n", static_cast<std::int64_t>(open.chosen.at("base_n")));
    knobs.set("base_k", static_cast<std::int64_t>(open.chosen.at("base_k")));
    EXPECT_EQ(run_.plan(knobs).problem, open.problem);  // which names the tile: it is the same set by hand
}

TEST_F(MatmulTest, EveryTileIsDealtOnce) {
    // One Fixpipe writes a tile; with 5 x 7 tiles of 64 x 48 each schedule issues as many.
    host::Knobs knobs = sized(5 * 64 - 3, 7 * 48 - 5, 32);
    knobs.set("base_m", std::int64_t{64});
    knobs.set("base_n", std::int64_t{48});
    for (const char* schedule : {"swizzle", "grid"}) {
        knobs.set("schedule", std::string{schedule});
        for (std::int64_t cores = 1; cores <= 24; cores += 1) {
            knobs.set("blocks", cores);
            expect_right(knobs);
        }
    }
}

TEST_F(MatmulTest, TheHostChoosesTheKnownGoodTile) {
    // 8192^3 fp16: L0C of 128 KiB holds 128 x 256 in fp32, the largest tile with a multiple of both sides.
    const host::Plan plan = run_.plan(sized(8192, 8192, 8192));
    EXPECT_THAT(plan.problem, ::testing::HasSubstr("tile 128 x 256 x 64"));
    EXPECT_EQ(plan.launches.at(0).blocks, 24U);
    EXPECT_EQ(plan.work.cube_flops, 2.0 * 8192 * 8192 * 8192);
}

TEST_F(MatmulTest, RefusalsSayWhatToDo) {
    host::Knobs knobs = sized(100, 100, 100);
    knobs.set("base_m", std::int64_t{24});
    EXPECT_THAT(refusal(knobs), ::testing::HasSubstr("multiple of 16"));
    knobs.set("base_m", std::int64_t{512});
    knobs.set("base_n", std::int64_t{512});
    EXPECT_THAT(refusal(knobs), ::testing::HasSubstr("0 lets the host choose"));
    knobs = sized(100, 100, 100);
    knobs.set("dtype", std::string{"int8"});
    knobs.set("out_dtype", std::string{"float32"});
    EXPECT_THAT(refusal(knobs), ::testing::HasSubstr("int8 gives int32, or float16 by `scale`"));
    knobs = sized(1, 1, 1);
    knobs.set("blocks", std::int64_t{25});
    EXPECT_THAT(refusal(knobs), ::testing::HasSubstr("24 cube cores"));
}

using testing::KernelRun;
using testing::run_kernel;
using testing::Settings;

std::uint64_t cycles(const Settings& settings) {
    return testing::in_child([&settings] {
        return run_kernel("matmul", settings, {.chip = "910b1", .functional = false}).totals.cycles;
    });
}

TEST(Matmul, TheMachineGivesTheReferenceAndTimingOnlyTheSameCycles) {
    const Settings settings{{"m", "517"}, {"n", "300"}, {"k", "1000"}, {"transpose_b", "true"}};
    const std::uint64_t timing = cycles(settings);
    const KernelRun run = run_kernel("matmul", settings, {.chip = "910b1"});
    EXPECT_TRUE(run.passed()) << run.report();
    EXPECT_EQ(run.totals.cycles, timing);
}

TEST(Matmul, NoRunBeatsTheCubeAndAShortOneStaysInSight) {
    // 24 cores x 2 rounds of tiles of 128 x 256: 8 * 16 * (2048 / 16) steps each.
    const std::uint64_t least = 2U * 8 * 16 * 128;
    const std::uint64_t taken = cycles({{"m", "1536"},
                                        {"n", "1024"},
                                        {"k", "2048"},
                                        {"base_m", "128"},
                                        {"base_n", "256"},
                                        {"schedule", "grid"},
                                        {"grid_m", "6"}});
    EXPECT_GT(taken, least);
    EXPECT_LT(taken, 3 * least);
}

TEST(Matmul, DoubleBuffersOfL1AndL0Help) {
    // fp32 needs the cube four times as long as fp16, twice as long for its bytes: the cube is what must not
    // wait.
    const Settings both{{"m", "1024"},
                        {"n", "1024"},
                        {"k", "2048"},
                        {"dtype", "float32"},
                        {"base_m", "128"},
                        {"base_n", "128"},
                        {"base_k", "32"},
                        {"step_k", "4"}};
    Settings without_l1 = both;
    without_l1.emplace_back("l1_buffers", "1");
    Settings without_l0 = both;
    without_l0.emplace_back("l0_buffers", "1");
    const std::uint64_t best = cycles(both);
    EXPECT_GT(cycles(without_l1), best * 11 / 10);
    EXPECT_GT(cycles(without_l0), best * 11 / 10);
}

TEST(Matmul, TheUnitFlagOrdersTheCubeAndFixpipeAsEventFlagsDo) {
    Settings settings{
        {"m", "768"}, {"n", "768"}, {"k", "512"}, {"base_m", "128"}, {"base_n", "256"}, {"blocks", "3"}};
    const std::uint64_t with_events = cycles(settings);
    settings.emplace_back("unit_flag", "true");
    const std::uint64_t with_unit_flag = cycles(settings);
    EXPECT_LT(with_unit_flag, with_events * 102 / 100);
    EXPECT_GT(with_unit_flag, with_events * 98 / 100);
}

TEST(Matmul, SplittingKHelpsASmallResultWithALongK) {
    const Settings whole{{"m", "128"},
                         {"n", "256"},
                         {"k", "32768"},
                         {"dtype", "float16"},
                         {"out_dtype", "float32"},
                         {"split_k", "1"}};
    Settings split = whole;
    split.back().second = "16";
    EXPECT_GT(cycles(whole), 3 * cycles(split));
}

// 77 rows are a tail; 528 columns more than one piece of the way through the unified buffer.
void expect_right_on_coupled(const char* chip, const char* dtype, const char* out) {
    const testing::Settings settings{
        {"m", "77"}, {"n", "528"}, {"k", "200"}, {"dtype", dtype}, {"out_dtype", out}};
    const testing::KernelRun run = testing::run_kernel("matmul", settings, {.chip = chip});
    EXPECT_TRUE(run.clean()) << run.report();
    ASSERT_EQ(run.comparisons.size(), 1U);
    EXPECT_EQ(run.comparisons[0].count, 77U * 528);
}

TEST(Matmul, HalfResultsLeaveA310p3CoreThroughItsVectorUnit) {
    expect_right_on_coupled("310p3", "float16", "float16");
}

TEST(Matmul, FloatResultsLeaveA910aCoreThroughItsVectorUnit) {
    expect_right_on_coupled("910a", "float16", "float32");
}

TEST(Matmul, Int32ResultsLeaveA310p3CoreThroughItsVectorUnit) {
    expect_right_on_coupled("310p3", "int8", "int32");
}

TEST(Matmul, CoupledChipsRefuseWhatTheirCubeLacks) {
    const auto refusal = [](const char* knob, const char* value) {
        try {
            static_cast<void>(testing::plan_kernel("matmul", {{knob, value}}, "310p3"));
        } catch (const UserError& error) {
            return std::string{error.what()};
        }
        return std::string{};
    };
    EXPECT_THAT(refusal("dtype", "bfloat16"), ::testing::HasSubstr("float16 and int8"));
    EXPECT_THAT(refusal("n", "100"), ::testing::HasSubstr("multiple of 16"));
    EXPECT_THAT(refusal("unit_flag", "true"), ::testing::HasSubstr("Fixpipe"));
}

}  // namespace
}  // namespace ascendsim
