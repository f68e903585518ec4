// SPDX-License-Identifier: Apache-2.0
#include "app/studies/check_run.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/report/style.hpp"
#include "app/scenario/result.hpp"
#include "app/studies/fault_place.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::ordered_json;

/// Takes "file:line" apart.
void set_place(CheckLine& line, const std::string& place) {
    const std::size_t colon = place.rfind(':');
    line.file = place.substr(0, colon);
    if (colon != std::string::npos) {
        std::from_chars(place.data() + colon + 1, place.data() + place.size(), line.line);
    }
}

/// The place of what went wrong in place of the scenario's.
void set_fault(CheckLine& line, const std::string& error) {
    Fault fault = fault_of(error);
    if (fault.line != 0) {
        line.file = std::move(fault.file);
        line.line = fault.line;
    }
    line.brief = fault.text == error ? std::string{} : std::move(fault.text);
}

std::string first_hazard(const ordered_json& run) {
    for (const ordered_json& hazard : run["hazards"]) {
        if (hazard.value("severity", "error") == "error") {
            return hazard.value("message", hazard.value("text", hazard.dump()));
        }
    }
    return {};
}

/// How the run itself went: it must end, with numbers within their tolerance and without hazards, unless its
/// failure is expected.
CheckLine judge_outcome(const BatchResult& result, bool error_expected) {
    CheckLine line{.name = "runs", .passed = true, .text = {}, .file = {}};
    const std::size_t hazards =
        result.json.contains("hazards") ? scenario::count_errors(result.json["hazards"]) : 0;
    if (!result.error.empty()) {
        line.passed = error_expected;
        line.text = result.error;
    } else if (hazards > 0) {
        line.passed = false;
        line.text =
            fmt::format("{} {}: {}", hazards, hazards == 1 ? "hazard" : "hazards", first_hazard(result.json));
    } else if (result.exit != 0) {
        line.passed = false;
        line.text = fmt::format("numbers are wrong: largest absolute error {}, relative {}",
                                scenario::shown_at(result.json, "numerics.max_abs_error"),
                                scenario::shown_at(result.json, "numerics.max_rel_error"));
        const ordered_json numerics = result.json.value("numerics", ordered_json{});
        for (const std::string& output : analysis::wrong_outputs(numerics)) {
            line.text += "; " + output;
        }
    } else {
        const bool checked = scenario::value_at(result.json, "numerics.checked").value_or(0) != 0;
        line.text = fmt::format("{}{}",
                                report::time_text(scenario::value_at(result.json, "time_us").value_or(0)),
                                checked ? ", numbers right" : "");
    }
    return line;
}

/// True for the figures of a run that came to its end.
bool is_whole(const ordered_json& run) {
    return run.is_object() && run.value("outcome", std::string{}) == "complete";
}

/// True if the run has the figure that is expected of it.
bool has_figure(const scenario::Expectation& expectation, const ordered_json& figures) {
    return expectation.path == "races" ? figures.contains("hazards")
                                       : scenario::value_at(figures, expectation.path).has_value() ||
                                             !scenario::shown_at(figures, expectation.path).empty();
}

CheckLine judge_expectation(const scenario::Expectation& expectation, const ordered_json& run) {
    CheckLine line{.name = "expect " + expectation.path, .passed = true, .text = {}, .file = {}};
    set_place(line, expectation.place);
    line.text = scenario::unmet(expectation, run);
    line.passed = line.text.empty();
    if (!line.passed) {
        return line;
    }
    line.text = expectation.word ? *expectation.word : scenario::shown_at(run, expectation.path);
    if (expectation.min && expectation.max && *expectation.min == *expectation.max) {
        return line;
    }
    if (expectation.min) {
        line.text += ", at least " + report::figure_text(*expectation.min);
    }
    if (expectation.max) {
        line.text += ", at most " + report::figure_text(*expectation.max);
    }
    return line;
}

}  // namespace

bool CheckedRun::passed() const {
    return std::ranges::all_of(lines, &CheckLine::passed);
}

bool CheckedRun::broke_off() const {
    return !lines.empty() && !lines.front().passed && !is_whole(json);
}

CheckedRun judge(const scenario::Scenario& scenario,
                 const std::vector<scenario::Override>& run,
                 const BatchResult& result) {
    CheckedRun checked{.label = result.label,
                       .file = scenario.file.string(),
                       .lines = {},
                       .drifts = {},
                       .wall_s = scenario::value_at(result.json, "simulator.wall_s").value_or(0),
                       .json = result.json,
                       .recording = {},
                       .page = {}};
    ordered_json figures = result.json.is_object() ? result.json : ordered_json::object();
    if (!result.error.empty()) {
        figures["error"] = result.error;
    }
    std::vector<scenario::Expectation> expectations;
    std::ranges::copy_if(scenario.expectations,
                         std::back_inserter(expectations),
                         [&](const scenario::Expectation& one) { return scenario::speaks_of(one, run); });
    const bool error_expected =
        std::ranges::find(expectations, "error", &scenario::Expectation::path) != expectations.end();
    checked.lines.push_back(judge_outcome(result, error_expected));
    set_place(checked.lines.back(), checked.file);
    if (!result.error.empty() && !error_expected) {
        set_fault(checked.lines.back(), result.error);
    }
    const bool whole = result.error.empty() || is_whole(result.json);
    for (const scenario::Expectation& expectation : expectations) {
        // A figure that a run which broke off does not have is no failure of its own.
        if (whole || expectation.path == "error" || (error_expected && has_figure(expectation, figures))) {
            checked.lines.push_back(judge_expectation(expectation, figures));
        }
    }
    constexpr int user = 2;  // of the contract
    checked.mistake = result.exit == user && !checked.passed();
    return checked;
}

void judge_goals(CheckedRun& run, const lessons::Lesson& lesson) {
    if (run.broke_off()) {
        return;  // its failure is one, and its goals are none of their own
    }
    for (const lessons::Goal& goal : lesson.goals) {
        const lessons::GoalState state =
            lessons::state_of(goal, run.json.is_object() ? run.json : ordered_json::object());
        CheckLine line{
            .name = "goal " + goal.path, .passed = state.met, .text = goal.words, .file = run.file};
        line.text += state.value ? fmt::format(": it is {}", report::figure_text(*state.value))
                                 : std::string{": no such figure of this run"};
        if (!state.met) {
            line.text += fmt::format("; 'ascendsim lesson {} --hint' helps", lesson.name);
        }
        run.lines.push_back(std::move(line));
    }
}

void judge_baseline(CheckedRun& run, const std::optional<Baseline>& baseline, const BaselineLimits& limits) {
    if (!run.json.is_object() || run.json.value("outcome", std::string{}) != "complete") {
        return;  // a run that failed, as expected or not, has no figures to compare
    }
    CheckLine line{.name = "baseline", .passed = true, .text = {}, .file = run.file};
    if (!baseline) {
        line.text = "none yet; --update writes it";
        run.lines.push_back(line);
        return;
    }
    const Baseline now = baseline_of(run.json);
    if (!baseline->scenario.empty() && baseline->scenario != now.scenario) {
        line.text = fmt::format(
            "is of '{}', and this run of '{}'; --update writes its own", baseline->scenario, now.scenario);
        run.lines.push_back(line);
    }
    run.drifts = drifts(*baseline, now, limits);
    for (const Drift& drift : run.drifts) {
        if (!drift.judged || (!drift.worse() && drift.path != "cycles")) {
            continue;
        }
        line.name = "baseline " + drift.path;
        line.passed = !drift.worse();
        line.text = fmt::format("{}, baseline {}: {:+.2f} %",
                                report::figure_text(drift.now),
                                report::figure_text(drift.before),
                                100 * drift.relative());
        if (drift.worse()) {
            line.text += fmt::format(", at most {:+.2f} % allowed", 100 * drift.limit);
        } else if (drift.better()) {
            line.text += ", better; --update keeps it";
        }
        run.lines.push_back(line);
    }
}

CheckedRun unreadable(const std::string& label, const std::string& file, const std::string& error) {
    CheckedRun run;
    run.label = label;
    run.file = file;
    run.mistake = true;
    CheckLine line{.name = "runs", .passed = false, .text = error, .file = file};
    set_fault(line, error);
    run.lines.push_back(std::move(line));
    return run;
}

}  // namespace ascendsim::study
