// SPDX-License-Identifier: Apache-2.0
#include "app/studies/advice_trials.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "app/analysis/advice/setting_advice.hpp"
#include "app/analysis/faults.hpp"
#include "app/scenario/recorded_origin.hpp"
#include "app/studies/cause_resource.hpp"
#include "app/studies/tune_advice.hpp"
#include "app/studies/whatif.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::json;

constexpr std::uint64_t cheap_instructions = 2'000'000;     // some half a second
constexpr std::uint64_t very_cheap_instructions = 600'000;  // so that every resource can be run without
constexpr double least_found = 0.02;                        // of the run, of a cause that no advice names
constexpr std::size_t most_settings = 12;
constexpr std::size_t most_further = 12;  // runs of steps behind those, of all parameters together

/// The scenario's run that made the recording; none if it is not there any more.
std::optional<BatchRun> run_that_made(const record::Recording& recording,
                                      const toolchain::Installation& installation) {
    const scenario::RecordedOrigin origin = scenario::recorded_origin(recording);
    try {
        const scenario::ScenarioFile file{origin.file.string(), installation, origin.overrides};
        const std::vector<BatchRun> runs = runs_of(file, origin.overrides.size());
        return runs.size() == 1 ? std::optional{runs.front()} : std::nullopt;
    } catch (const UserError&) {
        return std::nullopt;
    }
}

/// A recording holds no wall time, so that the same input gives the same bytes; its instructions tell.
bool runs_within(const record::Recording& recording, std::uint64_t instructions) {
    const json& totals = recording.totals();
    return totals.is_object() && totals.value("instructions", ~std::uint64_t{0}) <= instructions;
}

BatchRun with(const BatchRun& run, const std::string& setting) {
    BatchRun result = run;
    result.run.push_back(scenario::parse_override(setting));
    result.label = setting;
    result.recording.clear();
    return result;
}

// What the advice would try, each setting once, the most promising first.
std::vector<std::string> settings_of(const std::vector<analysis::Advice>& all) {
    std::vector<std::string> settings;
    for (const analysis::Advice& advice : all) {
        for (const std::string& setting : advice.tries) {
            if (settings.size() < most_settings && std::ranges::find(settings, setting) == settings.end()) {
                settings.push_back(setting);
            }
        }
    }
    return settings;
}

std::string resource_behind(const analysis::Advice& advice) {
    return advice.resource.empty() ? std::string{resource_of(advice.root)} : advice.resource;
}

/// True if only this advice's part of the path is its own of what the run without the resource gained. A
/// resource may stand behind several causes, as memory's latency behind waits for copies, for the scalar
/// unit's loads and for a core's start, or vector start-up behind new masks and short instructions. And a run
/// without one resource may take away what another one stands for, too: without the latency of units no new
/// mask costs anything.
bool has_a_part(const analysis::Advice& advice, const analysis::Explanation& explanation) {
    const std::string resource = resource_behind(advice);
    if (advice.cause_cycles == 0) {
        return false;
    }
    if (resource_of(advice.root) == resource) {
        std::uint64_t all = 0;
        for (const analysis::Root& root : explanation.path.roots) {
            all += resource_of(root) == resource ? root.cycles : 0;
        }
        if (advice.cause_cycles < all) {
            return true;
        }
    }
    return std::ranges::any_of(explanation.advice, [&](const analysis::Advice& other) {
        if (&other == &advice || other.cause_cycles == 0) {
            return false;
        }
        const std::string behind = resource_behind(other);
        const bool same = behind == resource && !advice.resource.empty();
        const bool larger = advice.resource.empty() && other.cause_cycles > advice.cause_cycles;
        return same || (larger && share_a_cost(resource, behind));
    });
}

/// True if another advice tells of what this run gained: its run took away the same costs.
bool is_told_by_another(const analysis::CauseTrial& trial,
                        const std::vector<analysis::CauseTrial>& trials,
                        const analysis::Explanation& explanation) {
    return std::ranges::any_of(explanation.advice, [&](const analysis::Advice& advice) {
        const std::string behind = resource_behind(advice);
        const auto other = std::ranges::find(trials, behind, &analysis::CauseTrial::resource);
        return other != trials.end() && share_a_cost(trial.resource, behind) &&
               trial.gain - other->gain < least_found;
    });
}

analysis::Advice found_by(const analysis::CauseTrial& trial,
                          const analysis::Explanation& explanation,
                          const record::Recording& recording) {
    analysis::Root cause = cause_of(trial.resource);
    cause.cycles = static_cast<std::uint64_t>(trial.gain * static_cast<double>(explanation.path.cycles()));
    analysis::Advice advice =
        analysis::advice_against(cause, explanation.summary, explanation.path, recording);
    advice.evidence = "not on the critical path as it is: only the run without it tells";
    advice.tries.clear();  // nobody ran them
    advice.resource = trial.resource;
    advice.without = trial;
    return advice;
}

/// Runs without a cause each, and what they took.
class Causes {
public:
    Causes(const BatchRun& run, const analysis::Explanation& explanation, bool all) {
        const ChipFile chip = run.file.read(run.run).chip;
        for (const Resource& resource : resources()) {
            const bool named = std::ranges::any_of(explanation.advice, [&](const analysis::Advice& advice) {
                return resource_behind(advice) == resource.name;
            });
            const bool findable = all && cause_of(resource.name).kind != analysis::PathKind::other;
            std::vector<scenario::Override> change = made_faster(resource, chip, true);
            if ((!named && !findable) || change.empty()) {
                continue;
            }
            BatchRun without = run;
            without.run.push_back({"run.sanitize", "false"});
            std::ranges::move(change, std::back_inserter(without.run));
            without.label = fmt::format("without {}", resource.name);
            without.recording.clear();
            runs.push_back(std::move(without));
            names.emplace_back(resource.name);
        }
    }

    /// Takes the results of `runs`.
    void judge(const BatchResult* results, double before_us) {
        for (const std::string& name : names) {
            const BatchResult& result = *results++;
            const double time = scenario::value_at(result.json, "time_us").value_or(0);
            if (analysis::ended(result.json) && before_us > 0) {
                trials.push_back({.resource = name, .time_us = time, .gain = 1 - time / before_us});
            }
        }
    }

    void give(analysis::Explanation& explanation, const record::Recording& recording) const {
        give_causes(trials, explanation, recording);
    }

    std::vector<BatchRun> runs;

private:
    std::vector<std::string> names;
    std::vector<analysis::CauseTrial> trials;
};

/// Runs of settings, each by itself, judged beside the run without any.
class SettingTrials {
public:
    /// Takes the results of `settings`, behind that of the run without any.
    SettingTrials(const std::vector<std::string>& settings, const std::vector<BatchResult>& results)
        : base_(results.front().json) {  // braces would make an array of it
        judge(settings, results.data() + 1);
    }

    /// Goes on in each direction in which a parameter gains, a step at a time, until none gains more.
    void go_on(const std::vector<analysis::Advice>& advice,
               const BatchRun& origin,
               const toolchain::Installation& installation,
               const BatchOptions& options) {
        std::size_t left = most_further;
        while (true) {
            std::vector<std::string> steps = analysis::next_steps(advice, trials_);
            steps.resize(std::min(left, steps.size()));
            if (steps.empty()) {
                return;
            }
            left -= steps.size();
            std::vector<BatchRun> runs;
            for (const std::string& step : steps) {
                runs.push_back(with(origin, step));
            }
            judge(steps, run_batch(runs, installation, options).data());
        }
    }

    [[nodiscard]] const std::vector<analysis::AdviceTrial>& all() const { return trials_; }

private:
    void judge(const std::vector<std::string>& settings, const BatchResult* results) {
        for (const std::string& setting : settings) {
            const BatchResult& result = *results++;
            trials_.push_back(analysis::judge_trial(setting, result.json, result.error, base_));
        }
    }

    json base_;
    std::vector<analysis::AdviceTrial> trials_;
};

/// False for what has no advice whatever runs say: no run of kernels, or not the whole of it.
bool can_have_advice(const analysis::Explanation& explanation) {
    return explanation.of_kernels() && explanation.summary.complete && !analysis::failed(explanation.summary);
}

}  // namespace

void give_causes(const std::vector<analysis::CauseTrial>& trials,
                 analysis::Explanation& explanation,
                 const record::Recording& recording) {
    const auto cycles = static_cast<double>(std::max<std::uint64_t>(1, explanation.path.cycles()));
    for (const analysis::CauseTrial& trial : trials) {
        bool told = false;
        for (analysis::Advice& advice : explanation.advice) {
            if (resource_behind(advice) == trial.resource) {
                advice.without = trial;
                advice.without->of_path =
                    has_a_part(advice, explanation) ? static_cast<double>(advice.cause_cycles) / cycles : 1;
                told = true;
            }
            told = told || tells_a_part_of(advice, trial.resource);
        }
        if (!told && trial.gain >= least_found && !is_told_by_another(trial, trials, explanation)) {
            explanation.advice.push_back(found_by(trial, explanation, recording));
        }
    }
}

void try_advice(analysis::Explanation& explanation,
                const record::Recording& recording,
                const toolchain::Installation& installation,
                const BatchOptions& options,
                Trying trying) {
    const bool tries =
        can_have_advice(explanation) && (trying == Trying::all || runs_within(recording, cheap_instructions));
    const std::optional<BatchRun> origin = tries ? run_that_made(recording, installation) : std::nullopt;
    if (!origin) {
        return;
    }
    // What [tune] offers joins the advice once it was run: untried it says nothing.
    const std::vector<analysis::Advice> offered = advice_of_tune(*origin, explanation.advice);
    std::vector<std::string> settings = settings_of(explanation.advice);
    for (const std::string& setting : settings_of(offered)) {
        if (settings.size() < most_settings) {
            settings.push_back(setting);
        }
    }
    std::vector<BatchRun> runs{*origin};
    for (const std::string& setting : settings) {
        runs.push_back(with(*origin, setting));
    }
    Causes causes{
        *origin, explanation, trying == Trying::all || runs_within(recording, very_cheap_instructions)};
    runs.insert(runs.end(), causes.runs.begin(), causes.runs.end());
    BatchOptions quietly = options;
    quietly.again = true;  // the recording's run has printed it
    const std::vector<BatchResult> results = run_batch(runs, installation, quietly);
    const auto figure = [&](const char* name) {
        return analysis::ended(results.front().json)
                   ? scenario::value_at(results.front().json, name).value_or(0)
                   : 0;
    };
    if (static_cast<std::uint64_t>(figure("cycles")) != explanation.summary.cycles) {
        return;  // the source has changed since
    }
    causes.judge(results.data() + 1 + settings.size(), figure("time_us"));
    causes.give(explanation, recording);
    SettingTrials trials{settings, results};
    std::vector<analysis::Advice> turned = explanation.advice;
    std::ranges::copy(offered, std::back_inserter(turned));
    trials.go_on(turned, *origin, installation, quietly);
    analysis::tell_settings(explanation.advice, offered, trials.all());
    analysis::order_advice(explanation.advice, explanation.path.cycles());
}

}  // namespace ascendsim::study
