// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/lessons/lesson.hpp"
#include "app/scenario/scenario.hpp"
#include "app/studies/baseline.hpp"
#include "app/studies/batch.hpp"

namespace ascendsim::study {

/// One thing that was checked of one run.
struct CheckLine {
    std::string name;  // "runs", "expect time_us", "baseline cycles"
    bool passed = true;
    std::string text;  // what was found; of a failure, why
    std::string file;  // where the limit stands, or the fault
    std::uint32_t line = 0;
    std::string brief{};  // of a `text` of many lines what a note at its place says; empty: all of it
};

/// What most likely made a run fail, at a line of its kernel.
struct FailureCause {
    std::string text;  // a sentence without its end; empty if nothing is known
    std::string file;  // the kernel's
    std::uint32_t line = 0;

    /// "; cause: …" behind what is `said`, or nothing: a fault is told by what failed itself.
    [[nodiscard]] std::string behind(const std::string& said) const {
        return text.empty() || said.find(text) != std::string::npos ? std::string{} : "; cause: " + text;
    }
};

/// One run with all that was checked of it.
struct CheckedRun {
    std::string label;
    std::string file;  // the scenario's
    std::vector<CheckLine> lines;
    std::vector<Drift> drifts;        // against the baseline, if there is one
    double wall_s = 0;                // the simulation took
    nlohmann::ordered_json json;      // of the run; null if it could not start
    std::filesystem::path recording;  // empty if there is none
    std::filesystem::path page;       // of the failure, once written
    FailureCause cause{};             // of a failure, where its recordings tell
    bool missing = false;             // there is no such scenario: nothing ran that a page could show
    bool mistake = false;             // what was asked cannot be done: scenario, options or sources are wrong

    [[nodiscard]] bool passed() const;
    /// True if the run did not come to its end, as nobody expected.
    [[nodiscard]] bool broke_off() const;
};

/// Judges a run against its scenario's limits.
[[nodiscard]] CheckedRun judge(const scenario::Scenario& scenario,
                               const std::vector<scenario::Override>& run,
                               const BatchResult& result);

/// Judges it against the goals of the lesson that its scenario is: limits like any other.
void judge_goals(CheckedRun& run, const lessons::Lesson& lesson);

/// Judges it against its baseline too; without one, says so and passes.
void judge_baseline(CheckedRun& run, const std::optional<Baseline>& baseline, const BaselineLimits& limits);

/// A run that could not be judged because its scenario cannot be read: the user's mistake.
[[nodiscard]] CheckedRun unreadable(const std::string& label,
                                    const std::string& file,
                                    const std::string& error);

}  // namespace ascendsim::study
