// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/report/style.hpp"
#include "app/studies/batch.hpp"

namespace ascendsim::study {

/// One thing a tuner may choose: a path of the scenario and the values to try, as `--set` takes them.
struct TuneKnob {
    std::string path;
    std::vector<std::string> values;
};

/// What [tune] of a scenario declares: `"kernel.base_m" = [64, 128, 256]` for each knob, `budget` and `seed`.
struct TuneSpace {
    std::vector<TuneKnob> knobs;
    std::size_t budget = 64;  // runs
    std::uint64_t seed = 1;   // of the restarts

    /// Number of combinations; at most 2^62.
    [[nodiscard]] std::uint64_t size() const;
};

/// Throws UserError if a scenario declares no [tune], or one without values.
[[nodiscard]] TuneSpace read_tune(const TomlFile& file);

/// For each knob, the number of its value.
using Choice = std::vector<std::size_t>;

/// Why a choice is rejected. Each reason is counted separately: wrong numbers are a defect of the kernel, a
/// choice that does not fit is not.
enum class Flaw : std::uint8_t { none, cannot_run, hazards, wrong_numbers };

/// The result of a choice.
struct Tried {
    Choice choice;
    std::optional<double> time_us;  // none if it has a flaw, however fast it was
    double gm_bytes = 0;
    double bound_us = 0;  // nothing can be faster; 0: unknown
    std::string error;    // its flaw as a sentence
    Flaw flaw = Flaw::none;
};

/// The flaw of a run's result and the sentence that tells it; neither if the run is good.
[[nodiscard]] std::pair<Flaw, std::string> flaw_of(const BatchResult& result);

/// Runs some choices, in their order; fewer than asked for where the user has stopped it.
using Evaluate = std::function<std::vector<Tried>(const std::vector<Choice>&)>;

/// The outcome of a search.
struct Search {
    std::vector<Tried> tried;         // in the order tried, each choice once
    std::optional<std::size_t> best;  // among them; none if nothing ran
    bool exhaustive = false;          // the best is the optimum of the space
    bool at_bound = false;            // stopped since nothing can be much faster
    bool stopped = false;             // by the user: not all that was to be tried was
};

/// Tries all choices if the budget allows; otherwise improves one knob after the other from random starts
/// until the budget is used. Stops early when the best time is within a hundredth of the bound. `start` is
/// the first of them.
[[nodiscard]] Search search(const TuneSpace& space, const Choice& start, const Evaluate& evaluate);

/// Of `tried`, those that nothing beats in both time and bytes moved, fastest first.
[[nodiscard]] std::vector<std::size_t> frontier(const std::vector<Tried>& tried);

/// The outcome for one run of a scenario.
struct Tuning {
    std::string label;
    TuneSpace space;
    Search found;
    Tried standard;                // the scenario as it is
    nlohmann::ordered_json why;    // `compare` of standard and best: null if the scenario is the best already
    std::string verdict_standard;  // of explain
    std::string verdict_best;
    std::optional<TomlFile>
        best;  // the scenario with the best choice in place; as it is where that is no faster

    /// True if the best choice is faster than the scenario as it is, or that is not good.
    [[nodiscard]] bool faster() const {
        return !standard.time_us || *found.tried[*found.best].time_us < *standard.time_us;
    }

    /// A choice in words: "tile=64 buffers=2".
    [[nodiscard]] std::string shown(const Choice& choice) const;
    /// How much was tried.
    [[nodiscard]] std::string how() const;
};

/// The fastest of a scenario's variants: the version written by hand that tuning has to beat. Throws
/// UserError if none runs.
[[nodiscard]] BatchRun fastest_of(const std::vector<BatchRun>& variants,
                                  const toolchain::Installation& installation,
                                  const BatchOptions& options);

/// Searches a space for the fastest choice whose run is good, and records the best and the standard choice to
/// explain the difference. Throws UserError, with the first failure, if no choice is good.
[[nodiscard]] Tuning tune(const BatchRun& run,
                          const TuneSpace& space,
                          const toolchain::Installation& installation,
                          const BatchOptions& options);

/// The tuning as text: the frontier, what failed, the best against the scenario as it is, and why it is
/// faster.
[[nodiscard]] std::string tune_text(const Tuning& tuning, const report::Style& style);
/// The same as `tune --json` writes it; times in microseconds.
[[nodiscard]] nlohmann::ordered_json to_json(const Tuning& tuning);
/// The scenario with the best choice in place, as TOML; its paths stay relative. It leaves out what concerns
/// several runs: variants, expectations and claims.
[[nodiscard]] std::string tune_toml(const Tuning& tuning);

}  // namespace ascendsim::study
