// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/knob.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

namespace ascendsim::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const nlohmann::json described = nlohmann::json::parse(R"({"knobs": [
    {"name": "shape", "default": [8, 16], "allowed": [], "unit": "elements", "meaning": "extents"},
    {"name": "schedule", "default": "vector", "allowed": ["vector", "scalar"]},
    {"name": "buffers", "default": 2, "min": 1, "max": 2, "unit": "buffers"},
    {"name": "spread", "default": true}]})");

TEST(Knobs, KernelDescriptionsBecomeKnobs) {
    const std::vector<Knob> knobs = kernel_knobs(described);
    ASSERT_EQ(knobs.size(), 4U);
    EXPECT_EQ(knobs[0].path, "kernel.shape");
    EXPECT_EQ(knobs[0].base, "[8, 16]");
    EXPECT_EQ(knobs[0].kind, KnobKind::list);
    EXPECT_EQ(knobs[2].kind, KnobKind::integer);
    EXPECT_THAT(knobs[3].allowed, ElementsAre("true", "false"));
    EXPECT_EQ(range_text(knobs[2]), "1 to 2 buffers");
}

TEST(Knobs, ChipParametersKeepTagAndSource) {
    const std::vector<Knob> knobs = chip_knobs(nlohmann::json::parse(
        R"({"parameters": [{"path": "vector.exp.head", "value": 1.5, "min": 0, "max": 9, "tag": "M", "source": "S6"}]})"));
    ASSERT_EQ(knobs.size(), 1U);
    EXPECT_EQ(knobs[0].path, "chip.vector.exp.head");
    EXPECT_EQ(knobs[0].group, "chip vector");
    EXPECT_EQ(knobs[0].label, "exp.head");
    EXPECT_EQ(knobs[0].tag, "M");
    EXPECT_EQ(knobs[0].base, "1.5");
}

TEST(Knobs, WrongValuesAreNamedBeforeARun) {
    const std::vector<Knob> knobs = kernel_knobs(described);
    EXPECT_FALSE(problem_with(knobs[2], "2"));
    EXPECT_THAT(problem_with(knobs[2], "3").value(), HasSubstr("1 to 2"));
    EXPECT_THAT(problem_with(knobs[2], "1.5").value(), HasSubstr("whole"));
    EXPECT_THAT(problem_with(knobs[2], "two").value(), HasSubstr("whole"));
    EXPECT_THAT(problem_with(knobs[1], "cube").value(), HasSubstr("vector, scalar"));
    EXPECT_FALSE(problem_with(knobs[0], "[1, 2]"));
    EXPECT_TRUE(problem_with(knobs[0], "[1, -2]"));
    EXPECT_TRUE(problem_with(knobs[0], "12"));
}

TEST(Knobs, OtherJsonGivesNoKnobs) {
    EXPECT_TRUE(kernel_knobs(nlohmann::json::object()).empty());
    EXPECT_TRUE(chip_knobs(nlohmann::json::object()).empty());
}

}  // namespace
}  // namespace ascendsim::gui
