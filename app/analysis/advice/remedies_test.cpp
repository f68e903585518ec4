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

TEST(Remedies, AskForMoreCoresOnlyWhereSomeAreLeft) {
    const RunSummary summary;
    const Root root{.kind = PathKind::transfer, .pipe = "mte2", .limiter = record::Limiter::hbm_path};
    EXPECT_THAT(remedy_for(root, {.summary = summary, .more_cores = true}).sentence, HasSubstr("more cores"));
    EXPECT_THAT(remedy_for(root, {.summary = summary}).sentence, Not(HasSubstr("more cores")));
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

}  // namespace

}  // namespace ascendsim::analysis
