// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/config/toml_file.hpp"

namespace ascendsim::lessons {

/// A limit on one figure of a run that the learner has to reach.
struct Goal {
    std::string path;  ///< in the figures of `run --json`: "pipes.mte2.utilization"
    std::optional<double> min;
    std::optional<double> max;
    std::string words;  ///< "MTE2 is busy for at least 90 % of the run"
};

/// A value that a lesson sets, as `--set path=value` takes it.
using Setting = std::pair<std::string, std::string>;

/// A scenario with a task: what to understand, what to reach, and which knobs may be turned.
struct Lesson {
    std::string name;  ///< of the file
    std::string title;
    std::string summary;
    std::string text;  ///< paragraphs, parted by an empty line
    std::string task;
    std::vector<std::string> hints;  ///< from vague to plain
    std::vector<std::string> knobs;  ///< paths such as "kernel.buffers"
    std::vector<Goal> goals;
    std::vector<Setting> solution;
    std::string after;  ///< what to see once the goals are met
    std::filesystem::path file;
};

/// The lesson of a scenario file, or nothing if it has no [lesson]. Throws UserError with file and line.
[[nodiscard]] std::optional<Lesson> read_lesson(const std::filesystem::path& file);
[[nodiscard]] std::optional<Lesson> read_lesson(const TomlFile& file);

/// The lessons of a folder in the order of their file names. Throws UserError with file and line.
[[nodiscard]] std::vector<Lesson> read_lessons(const std::filesystem::path& folder);

/// How a run stands to a goal.
struct GoalState {
    std::optional<double> value;  ///< nothing if the run has no such figure
    bool met = false;
};

/// How a run with these figures, the JSON of `run`, stands to a goal.
[[nodiscard]] GoalState state_of(const Goal& goal, const nlohmann::json& figures);

/// True if every goal of a lesson is met.
[[nodiscard]] bool solved(const Lesson& lesson, const nlohmann::json& figures);

}  // namespace ascendsim::lessons
