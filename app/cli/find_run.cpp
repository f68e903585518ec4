// SPDX-License-Identifier: Apache-2.0
#include "app/cli/find_run.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/cli/batch_progress.hpp"
#include "app/cli/kept_runs.hpp"
#include "app/scenario/catalogue.hpp"
#include "app/scenario/recorded_origin.hpp"
#include "app/studies/batch.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::cli {

namespace {

namespace fs = std::filesystem;

/// A run that was kept.
struct Kept {
    std::string name;
    fs::file_time_type when;
};

/// The youngest first. What a run that is under way writes is none.
std::vector<Kept> kept() {
    std::vector<Kept> runs;
    std::error_code missing;
    for (const fs::directory_entry& file : fs::directory_iterator{kept_runs(), missing}) {
        const fs::path name = file.path().stem();
        if (file.path().extension() == ".rec" && name.extension() != under_way) {
            runs.push_back({name.string(), file.last_write_time(missing)});
        }
    }
    std::ranges::sort(runs, [](const Kept& a, const Kept& b) {
        return a.when != b.when ? a.when > b.when : a.name < b.name;
    });
    return runs;
}

std::vector<std::string> names_of(const std::vector<Kept>& runs) {
    std::vector<std::string> names;
    for (const Kept& run : runs) {
        names.push_back(run.name);
    }
    return names;
}

/// "runs: my_add, matmul, …": the youngest of each name.
std::string list_of(const std::vector<Kept>& runs) {
    constexpr std::size_t most = 12;
    std::vector<std::string> names = names_of(runs);
    std::erase_if(names, [](const std::string& name) { return name.find('~') != std::string::npos; });
    if (names.empty()) {
        return "no run has been kept yet";
    }
    const std::size_t more = names.size() - std::min(most, names.size());
    names.resize(names.size() - more);
    return fmt::format(
        "runs: {}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
}

/// Names of kept runs, and of recordings where the missing one should lie.
std::vector<std::string> recordings_like(const std::string& name, const std::vector<Kept>& runs) {
    std::vector<std::string> names = names_of(runs);
    const fs::path folder = fs::path{name}.parent_path();
    for (const std::string& file : names_beside(name)) {
        if (fs::path{file}.extension() == ".rec") {
            names.push_back((folder / file).string());
        }
    }
    return names;
}

bool is_file_name(const std::string& name) {
    const fs::path path{name};
    return path.extension() == ".toml" || path.extension() == ".cpp";
}

/// Nothing has that name.
[[noreturn]] void throw_nothing_of(const std::string& name, const toolchain::Installation& installation) {
    std::vector<std::string> scenarios;
    for (const scenario::ListedScenario& one : scenario::list_scenarios(installation)) {
        scenarios.push_back(one.name);
    }
    const std::vector<Kept> runs = kept();
    std::vector<std::string> known = names_of(runs);
    known.insert(known.end(), scenarios.begin(), scenarios.end());
    const std::vector<std::string> kernels = installation.kernels();
    known.insert(known.end(), kernels.begin(), kernels.end());
    throw UserError{"{}: neither a file, nor a scenario, a kernel or the name of a run{} (scenarios: {}; {})",
                    name,
                    nearest_hint(name, known),
                    fmt::join(scenarios, ", "),
                    list_of(runs)};
}

/// Runs a scenario that makes one run, and keeps its recording as `run` does.
fs::path run_once(const std::string& name, const toolchain::Installation& installation) {
    const scenario::ScenarioFile file{name, installation, {}};
    std::vector<study::BatchRun> runs = study::runs_of(file, 0);
    if (runs.size() > 1) {
        throw UserError{"{}: makes {} runs; run it, then name one of them, as in {}",
                        name,
                        runs.size(),
                        runs.front().label};
    }
    runs.front().recording = place_under_way(runs.front().label);
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

bool is_scenario(const std::string& name, const toolchain::Installation& installation) {
    return is_file_name(name) || fs::is_regular_file(installation.scenarios() / (name + ".toml")) ||
           !installation.kernel_source(name).empty();
}

fs::path find_recording(const std::string& name) {
    if (fs::is_regular_file(name)) {
        return name;
    }
    if (is_file_name(name)) {
        throw UserError{"{}: {}", name, why_unreadable(name)};
    }
    const fs::path last = kept_runs() / (name + ".rec");
    if (fs::is_regular_file(last)) {
        return last;
    }
    const std::vector<Kept> runs = kept();
    if (fs::is_directory(name)) {
        return scenario::recording_in(name);
    }
    if (is_scenario(name, toolchain::Installation::find())) {
        throw UserError{
            "{}: has not run yet; 'ascendsim run {}' keeps its recording ({})", name, name, list_of(runs)};
    }
    throw UserError{"{}: neither a recording nor the name of a run{} ({}{} kept in {})",
                    name,
                    nearest_hint(name, recordings_like(name, runs)),
                    list_of(runs),
                    runs.empty() ? "; runs are" : ",",
                    kept_runs().string()};
}

bool names_a_recording(const std::string& name) {
    return fs::is_regular_file(name) && !is_file_name(name);
}

void check_may_be_run(const std::string& name) {
    if (!names_a_recording(name)) {
        return;
    }
    const std::string file =
        scenario::recorded_origin(record::Recording{name, record::Extent::heads}).file.string();
    throw UserError{
        "{}: whoever made this file chose what it names, so nothing of that is run; name the scenario or the "
        "source yourself{}, or a run of your own ({})",
        name,
        file.empty() ? std::string{} : fmt::format(", as in 'ascendsim explain {} --try'", file),
        list_of(kept())};
}

void check_holds_something(const record::Recording& recording, const std::string& name) {
    if (recording.lanes().empty()) {
        throw UserError{"{}: holds nothing: no run, or one that ended before it began", name};
    }
}

scenario::ScenarioFile open_scenario(const std::string& name,
                                     const toolchain::Installation& installation,
                                     std::vector<scenario::Override> overrides) {
    const fs::path run = kept_runs() / (name + ".rec");
    const bool has_run = fs::is_regular_file(run);
    const bool is_kernel = !installation.kernel_source(name).empty();
    // The run of a kernel's name comes before the kernel with its defaults.
    if (fs::exists(name) || (is_scenario(name, installation) && !(is_kernel && has_run))) {
        return scenario::ScenarioFile{name, installation, std::move(overrides)};
    }
    if (!has_run) {
        throw_nothing_of(name, installation);
    }
    scenario::RecordedOrigin origin =
        scenario::recorded_origin(record::Recording{run, record::Extent::heads});
    if (!fs::is_regular_file(origin.file) && installation.kernel_source(origin.file.string()).empty()) {
        throw UserError{"{}: the scenario of this run, {}, no longer exists; name another",
                        name,
                        origin.file.empty() ? "which was stripped" : origin.file.string()};
    }
    std::ranges::move(overrides, std::back_inserter(origin.overrides));
    return scenario::ScenarioFile{origin.file.string(), installation, std::move(origin.overrides)};
}

fs::path find_or_run(const std::string& name, const toolchain::Installation& installation) {
    const bool has_run = fs::is_regular_file(kept_runs() / (name + ".rec"));
    const bool is_recording = fs::is_regular_file(name) && fs::path{name}.extension() == ".rec";
    return is_recording || has_run || !is_scenario(name, installation) ? find_recording(name)
                                                                       : run_once(name, installation);
}

}  // namespace ascendsim::cli
