// SPDX-License-Identifier: Apache-2.0
#include "app/studies/whatif.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/analysis/faults.hpp"
#include "app/scenario/result.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::study {

namespace {

using nlohmann::ordered_json;
using report::Style;
using report::Tone;

// What gains less as fast as can be is not worth running twice as fast.
constexpr double least_gain = 0.001;
constexpr double shown_gain = 0.0005;
constexpr std::size_t bar_width = 24;

double time_of(const BatchResult& result) {
    return scenario::value_at(result.json, "time_us").value_or(0);
}

/// Runs with one resource faster each.
class Experiment {
public:
    Experiment(const BatchRun& run, const toolchain::Installation& installation, const BatchOptions& options)
        : run_{run}, installation_{installation}, options_{options}, chip_{run.file.read(run.run).chip} {}

    WhatIf result() {
        base();
        for (const Resource& resource : resources()) {
            worths_.push_back({.resource = std::string{resource.name}, .twice = {}, .limit = {}});
        }
        trials(true);
        trials(false);
        std::erase_if(worths_, [](const Worth& worth) { return !worth.limit && !worth.twice; });
        std::ranges::stable_sort(worths_, std::ranges::greater{}, &Worth::most);
        return {.label = run_.label,
                .time_us = time_us_,
                .faults = std::move(faults_),
                .worths = std::move(worths_),
                .stopped = stopped_};
    }

private:
    /// The scenario's run with changes; only the run as it is looks for hazards.
    [[nodiscard]] BatchRun with(std::vector<scenario::Override> more, std::string_view name) const {
        BatchRun run = run_;
        if (!more.empty()) {
            run.run.push_back({"run.sanitize", "false"});
        }
        std::ranges::move(more, std::back_inserter(run.run));
        run.label = fmt::format("{}: {}", run_.label, name);
        run.recording.clear();
        return run;
    }

    void base() {
        BatchOptions options{
            .jobs = 1, .look = {}, .progress = {}, .limits = options_.limits, .stopped = options_.stopped};
        options.look = [](const scenario::RunResult& result) {
            const analysis::Reported window = analysis::reported(result.content());
            return path_shares(analysis::critical_path(result.content(), window.from, window.to),
                               result.content());
        };
        const BatchResult result = run_batch({with({}, "as it is")}, installation_, options).front();
        if (result.stopped) {
            throw UserError{"{}: stopped before its run as it is had ended", run_.label};
        }
        if (!result.complete()) {
            throw UserError{"{}: does not run, so what limits it is unknown: {}", run_.label, result.error};
        }
        time_us_ = time_of(result);
        faults_ = analysis::faults_of(result.json);
        shares_ = result.seen;
    }

    /// Of all resources as fast as can be, or of those worth it twice as fast.
    void trials(bool limit) {
        std::vector<BatchRun> runs;
        std::vector<std::size_t> numbers;
        std::vector<std::vector<scenario::Override>> changes;
        for (std::size_t i = 0; i < resources().size(); ++i) {
            const Resource& resource = resources()[i];
            const bool idle = !limit && worths_[i].limit && worths_[i].limit->gain < least_gain;
            std::vector<scenario::Override> change = made_faster(resource, chip_, limit);
            if (change.empty() || (!limit && !resource.twice) || idle) {
                continue;
            }
            runs.push_back(with(change, resource.name));
            numbers.push_back(i);
            changes.push_back(std::move(change));
        }
        const std::vector<BatchResult> results = run_batch(runs,
                                                           installation_,
                                                           {.jobs = options_.jobs,
                                                            .look = {},
                                                            .progress = options_.progress,
                                                            .limits = options_.limits,
                                                            .again = true,
                                                            .stopped = options_.stopped});
        for (std::size_t i = 0; i < results.size(); ++i) {
            if (results[i].stopped) {  // says nothing of its resource
                stopped_ = true;
                continue;
            }
            Worth& worth = worths_[numbers[i]];
            (limit ? worth.limit : worth.twice) =
                trial(results[i], worth.resource, std::move(changes[i]), limit);
        }
    }

    [[nodiscard]] Trial trial(const BatchResult& result,
                              const std::string& resource,
                              std::vector<scenario::Override> change,
                              bool limit) const {
        Trial trial{.overrides = std::move(change), .estimate = {}, .error = result.error};
        const ordered_json& share = shares_.at(resource);
        if (share.is_number()) {
            // Twice as fast leaves half of the cycles, as fast as can be none.
            trial.estimate = share.get<double>() * (limit ? 1.0 : 0.5);
        }
        if (result.complete()) {
            trial.time_us = time_of(result);
            trial.gain = time_us_ > 0 ? 1 - trial.time_us / time_us_ : 0;
        }
        return trial;
    }

    const BatchRun& run_;
    const toolchain::Installation& installation_;
    const BatchOptions& options_;
    ChipFile chip_;
    double time_us_ = 0;
    std::vector<std::string> faults_;
    ordered_json shares_;
    std::vector<Worth> worths_;
    bool stopped_ = false;
};

std::string signed_text(double share) {
    constexpr double half_a_digit = 0.0005;
    return std::abs(share) < half_a_digit ? std::string{"0.0 %"} : fmt::format("{:+.1f} %", share * 100);
}

/// True if the path promises something that the re-run may not have kept.
bool expected_gain(const Worth& worth) {
    return worth.limit && worth.limit->estimate.value_or(0) >= shown_gain;
}

std::string figures_of(const std::optional<Trial>& trial) {
    if (!trial) {
        return fmt::format("{:>8} {:>8} {:>8}", "", "", "");
    }
    if (!trial->error.empty()) {
        return fmt::format("{:>8} {:>8} {:>8}", "failed", "", "");
    }
    return fmt::format("{} {} {}",
                       report::right(signed_text(-trial->gain), 8),
                       report::right(trial->estimate ? signed_text(-*trial->estimate) : "", 8),
                       report::right(trial->difference() ? signed_text(-*trial->difference()) : "", 8));
}

ordered_json trial_json(const std::optional<Trial>& trial) {
    if (!trial) {
        return nullptr;
    }
    ordered_json set = ordered_json::object();
    for (const scenario::Override& each : trial->overrides) {
        set[each.path] = scenario::json_of_setting(each.value);
    }
    ordered_json json{{"time_us", trial->time_us}, {"gain", trial->gain}};
    json["path_estimate"] = trial->estimate ? ordered_json(*trial->estimate) : ordered_json{};
    const std::optional<double> difference = trial->difference();
    json["difference"] = difference ? ordered_json(*difference) : ordered_json{};
    if (!trial->error.empty()) {
        json["error"] = trial->error;
    }
    json["set"] = std::move(set);
    return json;
}

/// What was tried, what went wrong, and the names of the columns.
std::string heading(const WhatIf& result, const std::string& faults, const Style& style) {
    std::string text =
        fmt::format("{}\n{}{}\n\n",
                    report::toned(style, Tone::strong, "What if one resource were faster: " + result.label),
                    faults,
                    report::toned(style,
                                  Tone::dim,
                                  fmt::format("{} as it is; each line makes one resource faster and runs "
                                              "again, next to the estimate from the critical path",
                                              report::time_text(result.time_us))));
    text += report::toned(
        style,
        Tone::dim,
        fmt::format("{:22} {:{}}  {:^26}  {:^26}\n{:22} {:{}}  {:>8} {:>8} {:>8}  {:>8} {:>8} {:>8}\n",
                    "",
                    "",
                    bar_width,
                    "twice as fast",
                    "no limit at all",
                    "",
                    "",
                    bar_width,
                    "re-run",
                    "path",
                    "differ",
                    "re-run",
                    "path",
                    "differ"));
    return text;
}

}  // namespace

double Worth::most() const {
    return std::max(twice ? twice->gain : 0.0, limit ? limit->gain : 0.0);
}

WhatIf what_if(const BatchRun& run,
               const toolchain::Installation& installation,
               const BatchOptions& options) {
    return Experiment{run, installation, options}.result();
}

std::string whatif_text(const WhatIf& result, const Style& style) {
    std::string faults;
    for (const std::string& fault : result.faults) {
        faults += report::toned(style, Tone::poor, fault) + "\n";
    }
    std::string text = heading(result, faults, style);
    const double most = result.worths.empty() ? 0 : std::max(result.worths.front().most(), 1e-9);
    std::string idle;
    for (const Worth& worth : result.worths) {
        const bool failed = worth.limit && !worth.limit->error.empty();
        if (std::abs(worth.most()) < shown_gain && !failed && !expected_gain(worth)) {
            idle += (idle.empty() ? "" : ", ") + worth.resource;
            continue;
        }
        text += fmt::format("{} {}  {}  {}\n",
                            report::left(worth.resource, 22),
                            report::bar(std::max(0.0, worth.most()) / most, bar_width),
                            figures_of(worth.twice),
                            figures_of(worth.limit));
    }
    if (!idle.empty()) {
        text += report::toned(style, Tone::dim, "no gain from: " + idle) + "\n";
    }
    if (result.stopped) {
        text += report::toned(style,
                              Tone::dim,
                              "stopped: not all re-runs were made, and resources without one are left out") +
                "\n";
    }
    const auto misses = std::ranges::find(result.worths, "L2 misses", &Worth::resource);
    constexpr double far_apart = 0.05;  // of the run
    if (misses != result.worths.end() && misses->limit &&
        std::abs(misses->limit->difference().value_or(0)) > far_apart) {
        text +=
            report::toned(style,
                          Tone::dim,
                          "L2 misses: the re-run has inputs, stack and code in L2, which also saves latency; "
                          "the path counts only\nthe copies that HBM limits, as do the roofs of 'ascendsim "
                          "explain'. The cost of latency is in the row memory latency.") +
            "\n";
    }
    return text;
}

ordered_json to_json(const WhatIf& result) {
    ordered_json list = ordered_json::array();
    for (const Worth& worth : result.worths) {
        list.push_back({{"resource", worth.resource},
                        {"twice", trial_json(worth.twice)},
                        {"limit", trial_json(worth.limit)}});
    }
    return {{"run", result.label},
            {"time_us", result.time_us},
            {"faults", result.faults},
            {"stopped", result.stopped},
            {"whatif", std::move(list)}};
}

}  // namespace ascendsim::study
