// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/run_summary.hpp"
#include "app/scenario/scenario.hpp"
#include "runtime/session/isolated.hpp"
#include "runtime/session/session.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::scenario {

/// Runs one of a scenario's runs in this process and returns the object that `run --json` prints: the figures
/// of the recording, with `variant`, `outcome`, `error`, `recording` and the simulator's own speed. Throws
/// UserError for a scenario that cannot start; a kernel's failure is in the result.
struct RunResult {
    nlohmann::ordered_json json;
    int exit = 0;         // of the contract: numbers outside their tolerance give 1
    std::string error;    // sentence of a failure
    std::string hazards;  // what would go wrong on the chip
    std::filesystem::path recording;
    std::optional<record::Recording> heads;  // the recording's content but its spans
    analysis::RunSummary summary;            // and its figures

    /// All of the recording's content, read when it is first asked for.
    [[nodiscard]] const record::Recording& content() const;

private:
    mutable std::optional<record::Recording> content_;
};

/// Called with a scenario that has been read, before it runs.
using BeforeRun = std::function<void(const Scenario&)>;

/// Runs a scenario with `run` set in it and records it in `recording`. What fails during the run is told in
/// the result, with its exit code; what is wrong before it starts is thrown as UserError.
[[nodiscard]] RunResult execute(const ScenarioFile& file,
                                const std::vector<Override>& run,
                                const toolchain::Installation& installation,
                                const std::filesystem::path& recording,
                                runtime::SessionProgress& progress,
                                const BeforeRun& before = {});

/// The same in a process of its own that takes no more than `limits`. What ended the process is thrown, as
/// UserError or ProgramError.
[[nodiscard]] RunResult execute_apart(const ScenarioFile& file,
                                      const std::vector<Override>& run,
                                      const toolchain::Installation& installation,
                                      const std::filesystem::path& recording,
                                      const runtime::IsolatedLimits& limits,
                                      const BeforeRun& before = {});

/// A name as a part of a file's. Letters of any script stay: two names must not become one.
[[nodiscard]] std::string file_word(std::string_view text);

/// "scenario" or "scenario-optimised": what files of a run are called.
[[nodiscard]] std::string run_label(const ScenarioFile& file,
                                    const std::vector<Override>& run,
                                    std::size_t given_overrides);

/// The value at a path such as "pipes.mte2.utilization"; a list's value is its length, true and false are 1
/// and 0.
[[nodiscard]] std::optional<double> value_at(const nlohmann::ordered_json& result, std::string_view path);

/// The figure at a path as a report shows it; empty if there is none.
[[nodiscard]] std::string shown_at(const nlohmann::ordered_json& result, std::string_view path);

/// Hazards of a run that are errors; flags and barriers that only cost time are none.
[[nodiscard]] std::size_t count_errors(const nlohmann::ordered_json& hazards);

/// What did not hold about an expectation, as a sentence; empty if it holds.
[[nodiscard]] std::string unmet(const Expectation& expectation, const nlohmann::ordered_json& result);

/// True if the expectation speaks of a run with these overrides.
[[nodiscard]] bool speaks_of(const Expectation& expectation, const std::vector<Override>& run);

}  // namespace ascendsim::scenario
