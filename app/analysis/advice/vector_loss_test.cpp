// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/vector_loss.hpp"

#include <gmock/gmock.h>

#include "app/analysis/advice/explain.hpp"
#include "app/analysis/testing/small_run.hpp"

namespace ascendsim::analysis {

namespace {

using ::testing::HasSubstr;
using testing::SmallRun;

// A chip whose whole repeats of 256 B take 7 cycles to reduce, and one cycle to add.
nlohmann::json slow_reductions() {
    nlohmann::json chip = SmallRun::chip();
    chip["vector"]["repeat_bytes"] = 256;
    chip["vector"]["min_cycles"] = 3;
    chip["vector"]["counter_tail_cycles"] = 15;
    chip["vector"]["simple"] = {{"head", 10}, {"tail", 14}, {"repeat_b16", 1}, {"repeat_b32", 1}};
    chip["vector"]["reduce_repeat"] = {{"head", 14}, {"tail", 32}, {"repeat_b16", 7}, {"repeat_b32", 7}};
    chip["vector"]["reduce_block"] = {{"head", 14}, {"tail", 24}, {"repeat_b16", 7}, {"repeat_b32", 1}};
    return chip;
}

struct Work {
    const char* instruction;
    std::uint64_t cycles;
    std::uint32_t elements;
    std::uint32_t bytes;
    std::uint32_t conflict = 0;
    std::uint64_t latency = 10;
};

VectorUses split(const std::vector<Work>& list) {
    SmallRun run;
    run.recorder().metadata({{"chip", slow_reductions()}});
    const auto scalar = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    run.busy(scalar, 0, 0, 10);
    std::uint64_t now = 10;
    std::uint32_t line = 1;
    for (const Work& work : list) {
        run.add(vector,
                {.issue = 4,
                 .start = now,
                 .end = now + work.cycles,
                 .complete = now + work.cycles + work.latency,
                 .bytes = work.bytes,
                 .work = work.elements,
                 .conflict = work.conflict},
                work.instruction,
                line++);
        now += work.cycles;
    }
    const record::Recording recording = run.finish(now);
    return vector_uses(recording, ChipNumbers{recording.metadata()}, "float16", 0, now);
}

TEST(VectorLoss, OfAReductionIsItsForm) {
    // 64 repeats of half: 64 x 7 cycles, of which 64 would do at 128 elements a cycle.
    const VectorUses uses = split({{"vcadd", 448, 64 * 128, 64 * 2}});
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none], 64);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::form], 384);
    EXPECT_DOUBLE_EQ(uses.all(), 448);
}

TEST(VectorLoss, OfFloatsInARunOfHalvesIsTheirWidth) {
    // 64 repeats of 64 floats: 64 cycles, where half of them would do at the rate of halves.
    const VectorUses uses = split({{"vadd", 64, 64 * 64, 64 * 256}});
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none], 32);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::wide_type], 32);
}

TEST(VectorLoss, OfLanesThatTakeNoPartIsTheMask) {
    // 64 repeats of which each does 32 of 128 halves: 16 cycles' worth in 64.
    const VectorUses uses = split({{"vadd", 64, 64 * 32, 64 * 32 * 2}});
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none], 16);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::masks], 48);
}

TEST(VectorLoss, OfShortInstructionsIsStartUpAndOfNewMasksTheirOwn) {
    // One repeat in the floor of three cycles; and one behind a new mask, which waits for 10 + 14 cycles,
    // too.
    const VectorUses uses = split({{"vadd", 3, 128, 256}, {"vadd", 27, 128, 256, 0, 0}});
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none], 2);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::start_up], 2 + 2);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::mask_changes], 24);
}

// As found: counts of 16 elements, of which each call sets the mask, were told as 42 % masked lanes and a
// mean of 18 repeats. A count that fills no repeat takes 15 cycles more to leave the unit.
TEST(VectorLoss, OfCountsThatSetTheMaskIsNoneOfTheirLanes) {
    const VectorUses uses = split({{"vadds", 10 + 14 + 15 + 3, 16, 32, 0, 0}});
    ASSERT_EQ(uses.uses.size(), 1U);
    EXPECT_DOUBLE_EQ(uses.uses[0].repeats, 1);
    EXPECT_EQ(uses.uses[0].new_masks, 1U);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::mask_changes], 39);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::masks], 0);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none] + uses[VectorLoss::start_up], 3);
    // The same lanes with the mask that is set already.
    const VectorUses kept = split({{"vadds", 3, 16, 32}});
    EXPECT_DOUBLE_EQ(kept.uses[0].repeats, 1);
    EXPECT_DOUBLE_EQ(kept[VectorLoss::mask_changes], 0);
}

// A count of 20 repeats and a half: 21 cycles, and the mask's 39.
TEST(VectorLoss, OfALongCountHasItsOwnRepeats) {
    const VectorUses uses = split({{"vadd", 21 + 39, 20 * 128 + 64, 20 * 256 + 128, 0, 0}});
    EXPECT_DOUBLE_EQ(uses.uses[0].repeats, 21);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none], 20.5);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::masks], 0.5);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::mask_changes], 39);
}

TEST(VectorLoss, OfConflictsIsWhatTheRunRecorded) {
    const VectorUses uses = split({{"vadd", 130, 64 * 128, 64 * 256, 66}});
    EXPECT_DOUBLE_EQ(uses[VectorLoss::none], 64);
    EXPECT_DOUBLE_EQ(uses[VectorLoss::conflicts], 66);
}

/// What advice whose sentence holds `sentence` says of a run of one vector instruction.
Advice told_of(const record::Span& span, const char* instruction, std::string_view sentence) {
    SmallRun run;
    run.recorder().metadata({{"chip", slow_reductions()}, {"work", {{"vector_type", "float16"}}}});
    const auto vector = run.lane("aiv0", "vector");
    run.busy(run.lane("aiv0", "scalar"), 0, 0, 10);
    run.add(vector, span, instruction, 7);
    const Explanation all = explain(run.finish(span.complete));
    const auto found = std::ranges::find_if(
        all.advice, [&](const Advice& each) { return each.sentence.find(sentence) != std::string::npos; });
    EXPECT_NE(found, all.advice.end()) << sentence;
    return found == all.advice.end() ? Advice{.sentence = {}, .evidence = {}, .root = {}} : *found;
}

// Without a resource nothing was run, and a weaker remedy that was run stood first.
TEST(VectorLoss, NamesTheResourceWhoseRunTellsWhatItCosts) {
    // 10 + 14 cycles to empty the unit for a new mask, and a repeat at the floor of 3.
    const record::Span first{.issue = 4, .start = 10, .end = 37, .complete = 37, .bytes = 256, .work = 128};
    const Advice change = told_of(first, "vadd", "Setting the mask empties the vector unit");
    EXPECT_EQ(change.resource, "vector start-up");
    EXPECT_EQ(change.cause_cycles, 24U);
    EXPECT_THAT(change.sentence, HasSubstr("1 of 1 instructions, 24 cycles each"));
    const Advice start = told_of(first, "vadd", "Vector instructions are short (mean 1 repeats)");
    EXPECT_EQ(start.resource, "vector start-up");
    EXPECT_EQ(start.cause_cycles, 2U);
    const Advice masks =
        told_of({.issue = 4, .start = 10, .end = 410, .complete = 420, .bytes = 256, .work = 128},
                "vadd",
                "take no part");
    EXPECT_EQ(masks.resource, "");  // that of its root: the unit's rate
    EXPECT_EQ(masks.cause_cycles, 399U);
}

// A kernel made for halves throughout gained more than the cycles that its floats lost to their width: casts
// went, too.
TEST(VectorLoss, OfAWiderTypeBoundsNotWhatTheNarrowerOneGains) {
    // 64 repeats of floats in a run of halves: half of the 64 cycles are their width's.
    const Advice wide =
        told_of({.issue = 4, .start = 10, .end = 74, .complete = 84, .bytes = 64 * 256, .work = 64 * 64},
                "vadd",
                "narrower type");
    EXPECT_EQ(wide.cause_cycles, 32U);
    EXPECT_FALSE(wide.bounded);
    EXPECT_FALSE(wide.at_rate);
    EXPECT_EQ(wide.gain_cycles, 84U);  // nothing of this run comes with every launch
    EXPECT_DOUBLE_EQ(wide.stated(84), 32.0 / 84);
}

TEST(VectorLoss, TellsTheFormThatIsFaster) {
    SmallRun run;
    run.recorder().metadata({{"chip", slow_reductions()}});
    const auto scalar = run.lane("aiv0", "scalar");
    const auto vector = run.lane("aiv0", "vector");
    run.busy(scalar, 0, 0, 10);
    // 100 repeats of floats: 700 cycles.
    run.add(vector,
            {.issue = 4, .start = 10, .end = 710, .complete = 760, .bytes = 400, .work = 6400},
            "vcadd",
            7);
    const Explanation all = explain(run.finish(760));
    const auto found = std::ranges::find_if(
        all.advice, [](const Advice& each) { return each.sentence.starts_with("Reducing whole repeats"); });
    ASSERT_NE(found, all.advice.end());
    EXPECT_THAT(found->sentence, HasSubstr("takes 7 cycles a repeat, Add takes 1"));
    EXPECT_THAT(found->sentence, HasSubstr("BlockReduceSum takes 1 where rows are short"));
    EXPECT_THAT(found->evidence, HasSubstr("vcadd at kernel.cpp:7"));
    EXPECT_EQ(found->gain_cycles, 600U);  // all but a cycle a repeat
}

}  // namespace

}  // namespace ascendsim::analysis
