// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/remedies.hpp"

#include <gmock/gmock.h>

namespace ascendsim::analysis {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Remedy more_buffers{
    .sentence = "more", .reach = Reach::overlap, .handles = {{"buffers", Turn::up}, {"stages", Turn::up}}};

TEST(Remedies, NameAKnobThatTheKernelHas) {
    EXPECT_EQ(knob_for(more_buffers, {{"knobs", {{"stages", 1}}}}).setting, "kernel.stages = 1");
    EXPECT_EQ(knob_for(more_buffers, {{"knobs", {{"tile", 1}}}}).setting, "");
    EXPECT_EQ(knob_for(more_buffers, nlohmann::json::object()).setting, "");
}

TEST(Remedies, NameNoKnobThatIsAtItsEnd) {
    const nlohmann::json ranges{{"buffers", {{"meaning", "of each operand"}, {"min", 1}, {"max", 2}}}};
    const FoundKnob one = knob_for(more_buffers, {{"knobs", {{"buffers", 1}}}, {"knob_ranges", ranges}});
    EXPECT_EQ(one.setting, "kernel.buffers = 1");
    EXPECT_EQ(one.meaning, "of each operand (1 to 2)");
    EXPECT_EQ(knob_for(more_buffers, {{"knobs", {{"buffers", 2}}}, {"knob_ranges", ranges}}).setting, "");
}

TEST(Remedies, NameTheStepsBehindTheFirstAsFarAsTheKnobGoes) {
    const Remedy tiles{.sentence = "larger", .reach = Reach::size, .handles = {{"tile", Turn::other}}};
    const nlohmann::json ranges{{"tile", {{"meaning", "rows"}, {"min", 5}, {"max", 100}}}};
    const FoundKnob one = knob_for(tiles, {{"knobs", {{"tile", 12}}}, {"knob_ranges", ranges}});
    EXPECT_EQ(one.tries, (std::vector<std::string>{"kernel.tile=24", "kernel.tile=6"}));
    EXPECT_EQ(one.further.at("kernel.tile=24"),
              (std::vector<std::string>{"kernel.tile=48", "kernel.tile=96"}));  // 192 is beyond 100
    EXPECT_EQ(one.further.at("kernel.tile=6"), (std::vector<std::string>{"kernel.tile=5"}));
    const FoundKnob chosen = knob_for(tiles, {{"knobs", {{"tile", 0}}}, {"knob_ranges", ranges}});
    EXPECT_TRUE(chosen.tries.empty());
}

TEST(Remedies, SayWhatTheHostSideMakesOfZero) {
    const auto setting = [](const char* meaning) {
        const nlohmann::json ranges{{"buffers", {{"meaning", meaning}, {"min", 0}, {"max", 2}}}};
        return knob_for(more_buffers, {{"knobs", {{"buffers", 0}}}, {"knob_ranges", ranges}}).setting;
    };
    EXPECT_EQ(setting("of each stage; 0: 2 where they fit"), "kernel.buffers = 0 (2 where they fit)");
    EXPECT_EQ(setting("of each stage; 0: chosen; 1: in turns"), "kernel.buffers = 0 (chosen)");
    EXPECT_EQ(setting("of each stage"), "kernel.buffers = 0");
}

TEST(Remedies, SayWhatZeroBecameInTheRunAndGoOnFromThere) {
    nlohmann::json ranges{
        {"buffers", {{"meaning", "of each stage; 0: chosen"}, {"min", 0}, {"max", 4}, {"chosen", 2}}}};
    const FoundKnob found = knob_for(more_buffers, {{"knobs", {{"buffers", 0}}}, {"knob_ranges", ranges}});
    EXPECT_EQ(found.setting, "kernel.buffers = 0 (here 2)");
    EXPECT_EQ(found.tries, (std::vector<std::string>{"kernel.buffers=3"}));
    // Set by hand, nothing was chosen; and what was chosen may be the most already.
    EXPECT_EQ(knob_for(more_buffers, {{"knobs", {{"buffers", 1}}}, {"knob_ranges", ranges}}).setting,
              "kernel.buffers = 1");
    ranges["buffers"]["chosen"] = 4;
    EXPECT_EQ(knob_for(more_buffers, {{"knobs", {{"buffers", 0}}}, {"knob_ranges", ranges}}).setting, "");
    ranges["buffers"]["chosen"] = "four";
    EXPECT_EQ(knob_for(more_buffers, {{"knobs", {{"buffers", 0}}}, {"knob_ranges", ranges}}).setting,
              "kernel.buffers = 0 (chosen)");
}

TEST(Remedies, TakeNoRangeThatIsDamaged) {
    for (const char* damaged : {R"(3)",
                                R"({"min": 1})",
                                R"({"max": 2})",
                                R"({"min": "1", "max": "2"})",
                                R"({"allowed": 3})",
                                R"({"allowed": [1]})",
                                R"({"meaning": 5})"}) {
        const nlohmann::json ranges{{"buffers", nlohmann::json::parse(damaged)}};
        const FoundKnob one = knob_for(more_buffers, {{"knobs", {{"buffers", 1}}}, {"knob_ranges", ranges}});
        EXPECT_EQ(one.setting, "kernel.buffers = 1") << damaged;
        EXPECT_EQ(one.meaning, "") << damaged;
        EXPECT_TRUE(one.tries.empty()) << damaged;
    }
}

TEST(Remedies, AskForMoreCoresOnlyWhereSomeAreLeft) {
    const RunSummary summary;
    const Root root{.kind = PathKind::transfer, .pipe = "mte2", .limiter = record::Limiter::hbm_path};
    EXPECT_THAT(remedy_for(root, {.summary = summary, .more_cores = true}).sentence, HasSubstr("more cores"));
    EXPECT_THAT(remedy_for(root, {.summary = summary}).sentence, Not(HasSubstr("more cores")));
}

// Memory's latency and a unit's were told in the same words, so that one advice stood there twice.
TEST(Remedies, TellLatencyOfMemoryFromThatOfUnits) {
    const RunSummary summary;
    const auto sentence = [&](const char* pipe) {
        return remedy_for({.kind = PathKind::latency, .pipe = pipe}, {.summary = summary}).sentence;
    };
    EXPECT_THAT(sentence("mte2"), HasSubstr("another buffer"));
    for (const char* unit : {"cube", "vector", "mte1", "fixpipe"}) {
        EXPECT_THAT(sentence(unit), HasSubstr("each other's results"));
    }
}

TEST(Remedies, OfAStoreSpeakOfResults) {
    const RunSummary summary;
    const Root root{.kind = PathKind::transfer, .pipe = "fixpipe", .limiter = record::Limiter::port};
    EXPECT_THAT(remedy_for(root, {.summary = summary}).sentence, HasSubstr("Results are written"));
}

TEST(Remedies, OfAUnitAtItsRateNameNoKnob) {
    const RunSummary summary;
    const Root root{.kind = PathKind::compute, .pipe = "cube"};
    EXPECT_TRUE(remedy_for(root, {.summary = summary, .efficiency = 0.95}).handles.empty());
    EXPECT_FALSE(remedy_for(root, {.summary = summary, .efficiency = 0.5}).handles.empty());
}

// A loop over the elements of a buffer was told to issue larger instructions, of which it has none.
TEST(Remedies, OfElementsReadOneByOneIsAVectorInstruction) {
    const Root root{.kind = PathKind::scalar, .pipe = "scalar"};
    const RunSummary summary;
    EXPECT_THAT(remedy_for(root, {.summary = summary, .by_elements = true}).sentence,
                HasSubstr("a vector instruction in place of GetValue and SetValue"));
    EXPECT_THAT(remedy_for(root, {.summary = summary}).sentence, Not(HasSubstr("GetValue")));
}

}  // namespace

}  // namespace ascendsim::analysis
