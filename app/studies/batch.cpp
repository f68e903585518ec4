// SPDX-License-Identifier: Apache-2.0
#include "app/studies/batch.hpp"

#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "runtime/session/isolated.hpp"
#include "runtime/session/session.hpp"
#include "sim/base/error.hpp"
#include "sim/process/temporary_folder.hpp"
#include "sim/process/whole_file.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::study {

namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

ordered_json one(const BatchRun& run,
                 const fs::path& recording,
                 const toolchain::Installation& installation,
                 const BatchOptions& options) {
    // What a host program prints is no part of the study's result, which may have standard output to itself.
    dup2(STDERR_FILENO, STDOUT_FILENO);
    runtime::SessionProgress progress;
    scenario::RunResult result = scenario::execute(run.file, run.run, installation, recording, progress);
    ordered_json seen;
    if (options.look) {
        seen = options.look(result);
    }
    return {{"exit", result.exit},
            {"error", result.error},
            {"json", std::move(result.json)},
            {"seen", std::move(seen)}};
}

BatchResult taken(const BatchRun& run, runtime::IsolatedResult result) {
    const std::string printed =
        result.printed.empty() ? std::string{} : fmt::format("; it printed:\n{}", result.printed);
    if (result.exit != 0) {
        return {.label = run.label,
                .exit = result.exit,
                .error = result.error + printed,
                .json = {},
                .seen = {},
                .stopped = result.stopped};
    }
    ordered_json& value = result.value;
    const auto error = value["error"].get<std::string>();
    return {.label = run.label,
            .exit = value["exit"],
            .error = error.empty() ? error : error + printed,
            .json = std::move(value["json"]),
            .seen = std::move(value["seen"])};
}

}  // namespace

std::vector<BatchResult> run_batch(const std::vector<BatchRun>& runs,
                                   const toolchain::Installation& installation,
                                   const BatchOptions& options) {
    static_cast<void>(toolchain::cache_folder());  // where none lasts, one for all runs: this process's
    const process::TemporaryFolder temporary;
    std::vector<fs::path> recordings;
    std::vector<std::function<ordered_json()>> works;
    for (const BatchRun& run : runs) {
        recordings.push_back(run.recording.empty() ? temporary.path() / fmt::format("{}.rec", works.size())
                                                   : run.recording);
        works.emplace_back([&run, recording = recordings.back(), &installation, &options] {
            return one(run, recording, installation, options);
        });
    }
    std::size_t done = 0;
    const auto ended = [&](std::size_t number) {
        if (runs[number].recording.empty()) {
            std::error_code missing;
            fs::remove(recordings[number], missing);
        }
        ++done;
        if (options.progress) {
            options.progress(done, runs.size(), runs[number].label);
        }
    };
    runtime::IsolatedLimits limits = options.limits;
    limits.silent = options.again;
    std::vector<runtime::IsolatedResult> isolated =
        runtime::run_isolated(works, options.jobs, ended, limits, options.stopped);
    if (options.progress && done < runs.size()) {  // stopped: no run ends any more
        options.progress(runs.size(), runs.size(), {});
    }
    std::vector<BatchResult> results;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        results.push_back(taken(runs[i], std::move(isolated[i])));
    }
    return results;
}

std::vector<BatchRun> runs_of(const scenario::ScenarioFile& file, std::size_t given_overrides) {
    std::vector<BatchRun> runs;
    for (const std::vector<scenario::Override>& run : file.runs()) {
        runs.push_back({.file = file,
                        .run = run,
                        .label = scenario::run_label(file, run, given_overrides),
                        .recording = {}});
    }
    return runs;
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) {
        throw UserError{"{}: cannot be created: {}", folder.string(), error.message()};
    }
}

void write_file(const fs::path& file, const std::string& text) {
    process::write_whole(file, text);
}

}  // namespace ascendsim::study
