// SPDX-License-Identifier: Apache-2.0
#include "scenarios/cli/find_run.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "scenarios/cli/batch_progress.hpp"
#include "scenarios/cli/kept_runs.hpp"
#include "scenarios/studies/batch.hpp"
#include "sim/base/error.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::cli {

namespace {

namespace fs = std::filesystem;

std::vector<std::string> kept(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code missing;
    for (const fs::directory_entry& file : fs::directory_iterator{folder, missing}) {
        if (file.path().extension() == ".rec") {
            names.push_back(file.path().stem().string());
        }
    }
    std::ranges::sort(names);
    return names;
}

bool is_scenario(const std::string& name, const host::Installation& installation) {
    const fs::path path{name};
    return path.extension() == ".toml" || path.extension() == ".cpp" ||
           fs::is_regular_file(installation.scenarios() / (name + ".toml"));
}

/// Runs a scenario that makes one run, and keeps its recording as `run` does.
fs::path run_once(const std::string& name, const host::Installation& installation) {
    const ScenarioFile file{name, installation, {}};
    std::vector<study::BatchRun> runs = study::runs_of(file, 0);
    if (runs.size() > 1) {
        throw UserError{"{}: makes {} runs; run it, then name one of them, as in {}",
                        name,
                        runs.size(),
                        runs.front().label};
    }
    const fs::path folder = kept_runs();
    study::make_folder(folder);
    runs.front().recording = folder / fmt::format("{}.{}.rec", runs.front().label, getpid());
    const study::BatchResult result =
        study::run_batch(runs, installation, {.jobs = 1, .look = {}, .progress = batch_progress()}).front();
    if (!fs::is_regular_file(runs.front().recording)) {
        constexpr int program = 3;
        if (result.exit == program) {
            throw ProgramError{"{}", result.error};
        }
        throw UserError{"{}", result.error};
    }
    return keep_run(runs.front().label, runs.front().recording);
}

}  // namespace

fs::path find_recording(const std::string& name) {
    if (fs::is_regular_file(name)) {
        return name;
    }
    const fs::path folder = kept_runs();
    const fs::path last = folder / (name + ".rec");
    if (fs::is_regular_file(last)) {
        return last;
    }
    throw UserError{
        "{}: neither a recording nor the name of a run{} (the last runs of each name are kept in {})",
        name,
        nearest_hint(name, kept(folder)),
        folder.string()};
}

ScenarioFile open_scenario(const std::string& name,
                           const host::Installation& installation,
                           std::vector<Override> overrides) {
    const fs::path run = kept_runs() / (name + ".rec");
    if (fs::exists(name) || is_scenario(name, installation) || !fs::is_regular_file(run)) {
        return ScenarioFile{name, installation, std::move(overrides)};
    }
    const nlohmann::json metadata = record::Recording{run, record::Extent::heads}.metadata();
    const std::string file = metadata.is_object() ? metadata.value("file", std::string{}) : std::string{};
    if (!fs::is_regular_file(file)) {
        throw UserError{"{}: the scenario of this run, {}, is not there any more; name another", name, file};
    }
    std::vector<Override> all;
    const nlohmann::json made_with = metadata.value("overrides", nlohmann::json::object());
    for (const auto& [path, value] : made_with.items()) {
        all.push_back({path, value.get<std::string>()});
    }
    std::ranges::move(overrides, std::back_inserter(all));
    return ScenarioFile{file, installation, std::move(all)};
}

fs::path find_or_run(const std::string& name, const host::Installation& installation) {
    const bool has_run = fs::is_regular_file(kept_runs() / (name + ".rec"));
    const bool is_recording = fs::is_regular_file(name) && fs::path{name}.extension() == ".rec";
    return is_recording || has_run || !is_scenario(name, installation) ? find_recording(name)
                                                                       : run_once(name, installation);
}

}  // namespace ascendsim::cli
