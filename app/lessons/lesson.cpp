// SPDX-License-Identifier: Apache-2.0
#include "app/lessons/lesson.hpp"

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "sim/config/table_reader.hpp"

namespace ascendsim::lessons {
namespace {

/// A value as `--set` takes it: TOML on one line.
std::string set_text(const Node& node) {
    const auto& data = node.value().data;
    if (std::holds_alternative<bool>(data)) {
        return node.as<bool>() ? "true" : "false";
    }
    if (std::holds_alternative<std::int64_t>(data)) {
        return fmt::format("{}", node.as<std::int64_t>());
    }
    if (std::holds_alternative<double>(data)) {
        return fmt::format("{}", node.as<double>());
    }
    return node.as<std::string>();
}

Goal read_goal(TableReader& table) {
    Goal goal{.path = table.get<std::string>("path"),
              .min = {},
              .max = {},
              .words = table.get<std::string>("words")};
    for (auto [key, limit] : {std::pair{"min", &goal.min}, {"max", &goal.max}}) {
        if (const std::optional<Node> node = table.find(key)) {
            *limit = node->as<double>();
        }
    }
    if (!goal.min && !goal.max) {
        throw table.error("path", "a goal needs min or max");
    }
    table.finish();
    return goal;
}

void read_steps(TableReader& table, Lesson& lesson) {
    for (TableReader& goal : table.tables("goals")) {
        lesson.goals.push_back(read_goal(goal));
    }
    if (lesson.goals.empty()) {
        throw table.error("goals", "a lesson needs at least one goal");
    }
    const Node solution = table.require("solution");
    for (const Node& member : solution.members()) {
        if (std::ranges::find(lesson.knobs, member.key()) == lesson.knobs.end()) {
            throw member.error("the solution turns a knob that the lesson does not offer");
        }
        lesson.solution.emplace_back(member.key(), set_text(member));
    }
}

}  // namespace

std::optional<Lesson> read_lesson(const std::filesystem::path& file) {
    return read_lesson(TomlFile::open(file));
}

std::optional<Lesson> read_lesson(const TomlFile& file) {
    const std::filesystem::path path = file.name();
    TableReader root = file.reader();
    std::optional<TableReader> table = root.find_table("lesson");
    if (!table) {
        return std::nullopt;
    }
    Lesson lesson{.name = path.stem().string(),
                  .title = table->get<std::string>("title"),
                  .summary = table->get<std::string>("summary"),
                  .text = table->get<std::string>("text"),
                  .task = table->get<std::string>("task"),
                  .hints = table->list<std::string>("hints"),
                  .knobs = table->list<std::string>("knobs"),
                  .goals = {},
                  .solution = {},
                  .after = table->get<std::string>("after"),
                  .file = path};
    read_steps(*table, lesson);
    table->finish();
    return lesson;
}

std::vector<Lesson> read_lessons(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator{folder, missing}) {
        if (entry.path().extension() == ".toml") {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<Lesson> lessons;
    for (const std::filesystem::path& file : files) {
        if (std::optional<Lesson> lesson = read_lesson(file)) {
            lessons.push_back(*std::move(lesson));
        }
    }
    return lessons;
}

GoalState state_of(const Goal& goal, const nlohmann::json& figures) {
    const nlohmann::json* place = &figures;
    std::string_view rest = goal.path;
    while (!rest.empty()) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const auto found = place->is_object() ? place->find(std::string{rest.substr(0, dot)}) : place->end();
        if (!place->is_object() || found == place->end()) {
            return {};
        }
        place = &*found;
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    if (!place->is_number()) {
        return {};
    }
    const double value = place->get<double>();
    return {.value = value, .met = (!goal.min || value >= *goal.min) && (!goal.max || value <= *goal.max)};
}

bool solved(const Lesson& lesson, const nlohmann::json& figures) {
    return std::ranges::all_of(lesson.goals, [&](const Goal& goal) { return state_of(goal, figures).met; });
}

}  // namespace ascendsim::lessons
