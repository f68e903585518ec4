// SPDX-License-Identifier: Apache-2.0
#include "app/lessons/lesson_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ascendsim::lessons {

std::string lesson_text(const Lesson& lesson, const nlohmann::json& figures) {
    std::string text = fmt::format("\nLesson: {}\n{}\n\nTask: {}\n", lesson.title, lesson.text, lesson.task);
    for (const Goal& goal : lesson.goals) {
        const GoalState state = state_of(goal, figures);
        text += fmt::format("  {}  {}: {} is {}\n",
                            state.met ? "reached" : "missed ",
                            goal.words,
                            goal.path,
                            state.value ? fmt::format("{:.6g}", *state.value) : "no figure of this run");
    }
    if (solved(lesson, figures)) {
        return text + lesson.after + "\n";
    }
    text += fmt::format("Values to change with --set: {}\n", fmt::join(lesson.knobs, ", "));
    for (const std::string& hint : lesson.hints) {
        text += "  Hint: " + hint + "\n";
    }
    return text;
}

}  // namespace ascendsim::lessons
