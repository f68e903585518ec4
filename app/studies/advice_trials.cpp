// SPDX-License-Identifier: Apache-2.0
#include "app/studies/advice_trials.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "app/scenario/recorded_origin.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::json;

constexpr std::uint64_t cheap_instructions = 300'000;  // some half a second
constexpr std::size_t most_settings = 12;

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
bool is_cheap(const json& totals) {
    return totals.is_object() && totals.value("instructions", ~std::uint64_t{0}) <= cheap_instructions;
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

}  // namespace

void try_advice(analysis::Explanation& explanation,
                const record::Recording& recording,
                const toolchain::Installation& installation,
                const BatchOptions& options) {
    const std::vector<std::string> settings = settings_of(explanation.advice);
    const std::optional<BatchRun> origin = settings.empty() || !is_cheap(recording.totals())
                                               ? std::nullopt
                                               : run_that_made(recording, installation);
    if (!origin) {
        return;
    }
    std::vector<BatchRun> runs{*origin};
    for (const std::string& setting : settings) {
        runs.push_back(with(*origin, setting));
    }
    const std::vector<BatchResult> results = run_batch(runs, installation, options);
    const double cycles = analysis::ended(results.front().json)
                              ? scenario::value_at(results.front().json, "cycles").value_or(0)
                              : 0;
    if (static_cast<std::uint64_t>(cycles) != explanation.summary.cycles) {
        return;  // the source has changed since
    }
    for (analysis::Advice& advice : explanation.advice) {
        for (const std::string& setting : advice.tries) {
            const auto number =
                static_cast<std::size_t>(std::ranges::find(settings, setting) - settings.begin());
            if (number < settings.size()) {
                const BatchResult& result = results[number + 1];
                advice.trials.push_back(
                    analysis::judge_trial(setting, result.json, result.error, results.front().json));
            }
        }
    }
    // What is known to help stands before what is guessed, and that before what is known not to.
    std::ranges::stable_sort(explanation.advice, std::ranges::greater{}, [](const analysis::Advice& advice) {
        const analysis::AdviceTrial* const best = advice.best_trial();
        return best == nullptr ? 0.0 : best->gain > 0 ? best->gain : -1.0;
    });
}

}  // namespace ascendsim::study
