// SPDX-License-Identifier: Apache-2.0
#include "app/cli/limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sys/sysinfo.h>

#include "app/cli/text_output.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/process/sandbox.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds usual_time{600};
constexpr std::uint64_t sandbox_memory = std::uint64_t{8} << 30U;
constexpr std::uint64_t usual_output = std::uint64_t{16} << 20U;

fs::path whole(const fs::path& place) {
    std::error_code ignored;
    return fs::weakly_canonical(fs::absolute(place), ignored);
}

/// True if `inner` is `outer` or lies below it.
bool holds(const fs::path& outer, const fs::path& inner) {
    const auto [end, rest] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
    static_cast<void>(rest);
    return end == outer.end() || (std::next(end) == outer.end() && end->empty());
}

bool holds_home(const fs::path& folder) {
    const char* const home = std::getenv("HOME");
    return folder == folder.root_path() || (home != nullptr && *home == '/' && holds(folder, whole(home)));
}

/// A folder that is there, in which `place` is or will be.
fs::path folder_there(const fs::path& place) {
    fs::path folder = whole(place);
    std::error_code missing;
    while (!fs::is_directory(folder, missing) && folder.has_relative_path()) {
        folder = folder.parent_path();
    }
    return folder;
}

/// Three quarters of what the machine has, where that is less: else the machine's own end of memory comes
/// first, and takes who knows whom.
std::uint64_t default_memory() {
    struct sysinfo machine {};

    if (sysinfo(&machine) != 0) {
        return sandbox_memory;
    }
    const std::uint64_t all = std::uint64_t{machine.totalram} * machine.mem_unit;
    constexpr std::uint64_t mib = std::uint64_t{1} << 20U;
    return std::min(sandbox_memory, all / 4 * 3 / mib * mib);
}

/// What a variable of the environment says: nothing, yes, or no ("false" and "0").
std::optional<bool> says(const char* variable) {
    const char* const value = std::getenv(variable);
    const std::string_view text = value == nullptr ? std::string_view{} : value;
    return text.empty() ? std::nullopt : std::optional{text != "false" && text != "False" && text != "0"};
}

/// Most services set CI; Azure Pipelines sets TF_BUILD, TeamCity TEAMCITY_VERSION, Jenkins JENKINS_URL and
/// AWS CodeBuild CODEBUILD_BUILD_ID instead (their documentation of predefined variables). `CI=false` takes
/// all back.
bool in_continuous_integration() {
    constexpr std::array services{
        "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION", "JENKINS_URL", "CODEBUILD_BUILD_ID"};
    return says("CI").value_or(
        std::ranges::any_of(services, [](const char* service) { return says(service).value_or(false); }));
}

}  // namespace

std::uint64_t size_of(const std::string& option, const std::string& text) {
    double value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit{end, static_cast<std::size_t>(text.data() + text.size() - end)};
    const std::size_t power = unit.empty() ? 0 : std::string_view{"BKMG"}.find(unit.front());
    constexpr double most = 1e15;
    if (error != std::errc{} || !(value >= 0) || value > most || power == std::string_view::npos ||
        unit.size() > 1) {
        throw UserError{"{} {}: must be a size, as in 500M or 2G", option, text};
    }
    return static_cast<std::uint64_t>(value * static_cast<double>(std::uint64_t{1} << (10 * power)));
}

fs::path project_of(const fs::path& file) {
    const fs::path own = whole(file).parent_path();
    const fs::path project = whole(toolchain::project_root(whole(file)));
    if (!project.empty() && holds(project, own) && !holds_home(project)) {
        return project;
    }
    if (holds_home(own)) {
        throw UserError{
            "--sandbox: {} lies in {}, and all of that could be read by the kernel; put it in a folder of "
            "its own",
            file.string(),
            own.string()};
    }
    return own;
}

void Limits::declare(Options& options) {
    options.flag(
        "--sandbox",
        sandbox_,
        "run kernels of others: no network, no other process, no file but those that the command names");
    declare_bounds(options);
    options.list("--allow-read", readable_, "DIR", "in a sandbox: let DIR be read");
    options.list("--allow-write", writable_, "DIR", "in a sandbox: let DIR be written");
}

void Limits::declare_bounds(Options& options) {
    options.option("--timeout",
                   timeout_,
                   "S",
                   usual_ == Usual::bounded
                       ? "end a run after S seconds (600 by default; 0: never)"
                       : "end a run after S seconds (600 in a sandbox and in a CI service; 0: never)");
    options.option(
        "--memory", memory_, "SIZE", "end a run that takes more memory, as in 500M or 2G (in a sandbox 8G)");
    options.option("--max-output",
                   max_output_,
                   "SIZE",
                   "end a run that prints more (16M wherever a run is bounded; 0: never)");
}

std::vector<std::string> Limits::words() const {
    std::vector<std::string> words;
    if (sandbox_) {
        words.emplace_back("--sandbox");
    }
    for (const auto& [name, value] :
         {std::pair{"--timeout", &timeout_}, {"--memory", &memory_}, {"--max-output", &max_output_}}) {
        if (!value->empty()) {
            words.insert(words.end(), {name, *value});
        }
    }
    for (const auto& [name, folders] :
         {std::pair{"--allow-read", &readable_}, {"--allow-write", &writable_}}) {
        for (const std::string& folder : *folders) {
            words.insert(words.end(), {name, folder});
        }
    }
    return words;
}

runtime::IsolatedLimits Limits::enter(const NamedPlaces& named,
                                      const toolchain::Installation& installation) const {
    runtime::IsolatedLimits result = bounds();
    if (sandbox_) {
        enter_sandbox(named, installation);
    } else if (!readable_.empty() || !writable_.empty()) {
        throw UserError{"--allow-read and --allow-write open a sandbox; give --sandbox too"};
    }
    return result;
}

void Limits::enter_sandbox(const NamedPlaces& named, const toolchain::Installation& installation) const {
    process::SandboxRules rules{.readable = {installation.libraries}, .writable = {}};
    for (const char* folder : {"sim", "models", "kernels", "runtime", "scenarios"}) {
        rules.readable.push_back(installation.root / folder);  // of a checkout, no more than is installed
    }
    for (const std::string& source : named.sources) {
        std::error_code missing;
        if (fs::exists(source, missing)) {
            rules.readable.push_back(project_of(source));
            // The outputs that the scenario names: this one, or the one beside a kernel.
            if (fs::exists(fs::path{source}.replace_extension(".toml"), missing)) {
                rules.writable.push_back(whole(source).parent_path());
            }
        }
    }
    for (const std::vector<std::string>* folders : {&named.folders, &readable_}) {
        for (const std::string& folder : *folders) {
            rules.readable.push_back(whole(folder));
        }
    }
    for (const std::string& output : named.outputs) {
        if (!output.empty() && output != standard_output) {
            rules.writable.push_back(folder_there(output));
        }
    }
    if (const char* const summary = std::getenv("GITHUB_STEP_SUMMARY")) {
        rules.writable.emplace_back(summary);
    }
    const fs::path cache = toolchain::cache_folder() / "sandbox";
    toolchain::make_cache_folder(cache / "tmp");
    rules.writable.push_back(cache);
    for (const std::string& folder : writable_) {
        if (!fs::is_directory(folder)) {
            throw UserError{"--allow-write {}: {}", folder, why_no_folder(folder)};
        }
        rules.writable.push_back(whole(folder));
    }
    setenv("TMPDIR", (cache / "tmp").c_str(), 1);
    process::enter_sandbox(rules);
    for (const std::string& folder : writable_) {
        process::keep_folder_writable(whole(folder));
    }
}

runtime::IsolatedLimits Limits::bounds() const {
    runtime::IsolatedLimits result;
    if (usual_ == Usual::bounded || in_continuous_integration()) {
        result = {.time = usual_time, .memory = 0, .output = usual_output};
    }
    if (sandbox_) {
        result = {.time = usual_time, .memory = default_memory(), .output = usual_output};
    }
    if (!timeout_.empty()) {
        std::uint32_t seconds = 0;
        const auto [end, error] =
            std::from_chars(timeout_.data(), timeout_.data() + timeout_.size(), seconds);
        if (error != std::errc{} || end != timeout_.data() + timeout_.size()) {
            throw UserError{"--timeout {}: must be a number of seconds", timeout_};
        }
        result.time = std::chrono::seconds{seconds};
    }
    if (!memory_.empty()) {
        result.memory = size_of("--memory", memory_);
    }
    if (!max_output_.empty()) {
        result.output = size_of("--max-output", max_output_);
    } else if (result.any()) {  // what is bounded in time would still fill a disk within it
        result.output = usual_output;
    }
    return result;
}

}  // namespace ascendsim::cli
