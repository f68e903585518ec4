// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/scenario/result.hpp"
#include "app/scenario/scenario.hpp"
#include "runtime/session/isolated.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

/// One of many runs.
struct BatchRun {
    scenario::ScenarioFile file;
    std::vector<scenario::Override> run;  // one of file.runs(), perhaps with more
    std::string label;
    std::filesystem::path recording;  // where to keep it; empty: nowhere
};

/// The result of a run.
struct BatchResult {
    std::string label;
    int exit = 0;                 // of the contract
    std::string error;            // sentence of a failure
    nlohmann::ordered_json json;  // as `run --json`; null if the run could not start
    nlohmann::ordered_json seen;  // what `look` returned
    bool stopped = false;         // it was not run, or not to its end, because `stopped` came

    [[nodiscard]] bool complete() const { return json.is_object() && error.empty(); }
};

struct BatchOptions {
    std::size_t jobs = 1;
    /// Called in the run's process while its recording is at hand; what it returns becomes `seen`.
    std::function<nlohmann::ordered_json(const scenario::RunResult&)> look;
    /// Called when a run ends: how many have ended, of how many, and which one just ended. If the runs are
    /// stopped, once more as if all had ended.
    std::function<void(std::size_t, std::size_t, const std::string&)> progress;
    runtime::IsolatedLimits limits{};  // of each run
    /// These runs were made before, with other values: what a program prints it has printed then. It belongs
    /// to the error of one that fails.
    bool again = false;
    std::function<bool()> stopped{};  // once true, no further run is started, and those under way are ended
};

/// Runs all, each in a process of its own, at most `jobs` at a time; results in the order of `runs`.
[[nodiscard]] std::vector<BatchResult> run_batch(const std::vector<BatchRun>& runs,
                                                 const toolchain::Installation& installation,
                                                 const BatchOptions& options);

/// All runs of a scenario file.
[[nodiscard]] std::vector<BatchRun> runs_of(const scenario::ScenarioFile& file, std::size_t given_overrides);

/// Creates a folder with those above it. Throws UserError if that is not possible.
void make_folder(const std::filesystem::path& folder);

/// Writes a text file. Throws UserError if that is not possible.
void write_file(const std::filesystem::path& file, const std::string& text);

}  // namespace ascendsim::study
