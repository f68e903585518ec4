// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/command.hpp"
#include "app/cli/find_run.hpp"
#include "app/cli/kept_runs.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/progress.hpp"
#include "app/cli/python_driver.hpp"
#include "app/cli/run_outputs.hpp"
#include "app/cli/source_options.hpp"
#include "app/cli/text_output.hpp"
#include "app/scenario/result.hpp"
#include "runtime/session/isolated.hpp"
#include "runtime/session/orphans.hpp"
#include "sim/base/error.hpp"
#include "sim/process/passing_names.hpp"
#include "sim/process/sandbox.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

/// Sends what a host program prints to the error stream while standard output belongs to the JSON.
class StandardOutput {
public:
    explicit StandardOutput(bool away) : kept_{away ? dup(STDOUT_FILENO) : -1} {
        if (away) {
            std::fflush(stdout);
            dup2(STDERR_FILENO, STDOUT_FILENO);
        }
    }

    StandardOutput(const StandardOutput&) = delete;
    StandardOutput& operator=(const StandardOutput&) = delete;

    ~StandardOutput() {
        if (kept_ >= 0) {
            std::fflush(stdout);
            dup2(kept_, STDOUT_FILENO);
            close(kept_);
        }
    }

private:
    int kept_;
};

class RunCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Run a scenario or a kernel and report where the time goes";
    }

    void declare(Options& options) override {
        options.positional(
            "SCENARIO",
            scenario_,
            "SCENARIO.toml, the name of a scenario or of a shipped kernel, KERNEL.cpp, or "
            "PROGRAM.cpp; none runs the command behind '--', with its launches on the simulated chip",
            false);
        source_.declare_words(options, "arguments of a host program, or a command");
        options.word_behind_dashes(behind_dashes_);
        options.option("--chip",
                       chip_,
                       "CHIP",
                       "simulate CHIP instead of the scenario's chip (see 'ascendsim list chips')");
        options.list(
            "--set", sets_, "PATH=VALUE", "set a value of the scenario, as in kernel.schedule=fused");
        options.flag(
            "--timing-only", timing_only_, "simulate the time without the arithmetic, for large shapes");
        options.flag("--sanitize",
                     sanitize_,
                     "check for races and for errors of memory and flags in timing-only runs too");
        options.flag(
            "--strict",
            strict_,
            "stop at reads beyond a buffer and at buffers beyond a memory, which the chip lets pass");
        options.option("--perturb",
                       perturb_,
                       "N",
                       "run N more times with other legal timings: results that differ are a race");
        declare_outputs(options);
        options.flag("--strip",
                     outputs_.strip,
                     "leave sources, macros and folders out of the recording, so that it can be handed on");
        limits_.declare(options);
        options.flag("--quiet", outputs_.quiet, "print no report");
        options.flag("--verbose", verbose_, "also say how a host program was compiled");
        source_.declare(options);
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        if (scenario_.empty()) {
            throw UserError{
                "run: names nothing to run: SCENARIO.toml, KERNEL.cpp, PROGRAM.cpp, or -- COMMAND"};
        }
        if (is_command(scenario_, installation)) {
            if (behind_dashes_ != scenario_) {  // a word misspelt must not start a program
                throw UserError{
                    "run {0}: neither a scenario nor a source; a command of the system stands behind --, as "
                    "in "
                    "'ascendsim run -- {0}'",
                    scenario_};
            }
            run_command(installation);
        }
        std::error_code unreadable;
        if (behind_dashes_ == scenario_ && !is_scenario(scenario_, installation) &&
            !std::filesystem::exists(scenario_, unreadable)) {
            throw UserError{
                "run -- {0}: there is no {1}; a command lies in a folder of PATH, a program of yours is "
                "named by its path, as in 'ascendsim run -- ./my_program'",
                scenario_,
                scenario_.find('/') == std::string::npos ? "command of that name" : "such program"};
        }
        const runtime::OrphanCare care;
        static_cast<void>(toolchain::cache_folder());  // where none lasts, this process's: it deletes it
        NamedPlaces named{
            .sources = source_.files(), .folders = source_.folders(), .outputs = outputs_.places()};
        named.sources.push_back(scenario_);
        bounds_ = limits_.enter(named, installation);
        const scenario::ScenarioFile file{scenario_, installation, overrides()};
        const std::vector<std::vector<scenario::Override>> runs = file.runs();
        if (runs.size() > 1 && takes_standard_output({outputs_.html, outputs_.trace})) {
            throw UserError{
                "run {}: makes {} runs, each with a page and a trace of its own; name a file, "
                "which gets each run's name, as in --html page.html",
                scenario_,
                runs.size()};
        }
        ordered_json results = ordered_json::array();
        int exit = exit_good;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            const std::string label = scenario::run_label(file, runs[i], given_);
            const RunPlace place{.label = label, .number = i + 1, .count = runs.size()};
            // Of this process, which deletes what is under way if a signal ends it.
            const RecordingPlace recording = recording_place(outputs_, place);
            const auto work = [&] { return one(file, runs[i], place, recording, installation); };
            const runtime::IsolatedResult result = attempted(work, place, recording);
            process::keep_at_signal(recording.during);
            int code = result.exit;
            if (result.exit == exit_good) {
                code = result.value["exit"];
                if (result.unprinted && code == exit_good) {
                    complain("ascendsim: standard output: cannot be written\n");
                    code = exit_user;
                }
                results.push_back(result.value["json"]);
            } else {
                complain(fmt::format("ascendsim: {}: {}\n", label, result.error));
                results.push_back({{"scenario", label}, {"outcome", "failed"}, {"error", result.error}});
            }
            exit = std::max(exit, code);
        }
        write_json(outputs_.json, "run", runs.size() == 1 ? results.front() : results);
        return exit;
    }

private:
    /// Becomes that command. Throws UserError for options that would not hold for it, a sandbox first of all.
    [[noreturn]] void run_command(const toolchain::Installation& installation) {
        const std::vector<scenario::Override> set = overrides();
        const bool sets_more = std::ranges::any_of(set, [](const scenario::Override& one) {
            return one.path != "command.arguments" && one.path != "command.library" &&
                   one.path != "scenario.chip";
        });
        const std::vector<std::string> places = outputs_.places();
        const bool writes_more = std::ranges::any_of(
            places, [this](const std::string& place) { return !place.empty() && place != outputs_.folder; });
        if (sets_more || writes_more || limits_.given() || outputs_.quiet || outputs_.strip) {
            throw UserError{
                "run {}: is a command, with which only --chip, --library and --out go; --sandbox, --timeout, "
                "--json and others are for scenarios and sources",
                scenario_};
        }
        std::vector<std::string> words{"--chip", chip_.empty() ? "910b3" : chip_};
        if (!outputs_.folder.empty()) {
            words.insert(words.end(), {"--out", outputs_.folder});
        }
        for (const std::string& library : source_.operator_libraries()) {
            words.insert(words.end(), {"--library", library});
        }
        words.insert(words.end(), {"--", scenario_});
        words.insert(words.end(), source_.words().begin(), source_.words().end());
        become_suite(words, installation);
    }

    /// One run. Without bounds all of it is in a process of its own, which tells the end of a kernel that
    /// ends its process from that of the run; with them its simulation is, and this one writes the outputs.
    /// Of one that breaks off, the recording is kept as far as it came.
    [[nodiscard]] runtime::IsolatedResult attempted(const std::function<ordered_json()>& work,
                                                    const RunPlace& place,
                                                    const RecordingPlace& recording) const {
        try {
            if (writes_outputs()) {
                return {.error = {}, .value = work()};
            }
            runtime::IsolatedResult result = runtime::run_isolated(work);
            if (result.signal == SIGPIPE) {  // as if this process had printed
                std::signal(SIGPIPE, SIG_DFL);
                std::raise(SIGPIPE);
            }
            const bool unprinted = result.unprinted;
            return {.error = {}, .unprinted = unprinted, .value = runtime::value_of(std::move(result))};
        } catch (const std::exception& error) {
            if (dynamic_cast<const ProgramError*>(&error) != nullptr) {
                keep_part(outputs_, place, recording);
            }
            if (place.count == 1) {
                throw;
            }
            const std::exception_ptr failure = std::current_exception();
            return {.exit = runtime::exit_code(failure), .error = runtime::message(failure), .value = {}};
        }
    }

    /// True if this process writes the outputs, and another one simulates alone.
    [[nodiscard]] bool writes_outputs() const { return bounds_.any() || process::in_sandbox(); }

    void declare_outputs(Options& options) {
        const auto file = [&options](const char* name, std::string& value, const char* meaning) {
            options.output(name, value, Output::file, "FILE", meaning);
        };
        options.output("--out", outputs_.folder, Output::folder, "DIR", "write all files of the run to DIR");
        file("--json", outputs_.json, "write the figures as JSON");
        file("--trace", outputs_.trace, "write a Chrome trace");
        options.output(
            "--record", outputs_.recording, Output::recording, "FILE", "write the recording to FILE");
        file("--html", outputs_.html, "write the report as an HTML page");
        options.output("--csv",
                       outputs_.csv,
                       Output::folder,
                       "DIR",
                       "write tables with the columns of the vendor's profiler");
    }

    [[nodiscard]] std::vector<scenario::Override> overrides() {
        std::vector<scenario::Override> result;
        if (!chip_.empty()) {
            result.push_back({"scenario.chip", fmt::format("\"{}\"", chip_)});
        }
        if (timing_only_) {
            result.push_back({"scenario.mode", "timing"});
        }
        if (sanitize_) {
            result.push_back({"run.sanitize", "true"});
        }
        if (strict_) {
            result.push_back({"limits.strict", "true"});
        }
        if (perturb_) {
            result.push_back({"run.perturb", fmt::format("{}", *perturb_)});
        }
        if (verbose_) {
            result.push_back({"run.verbose", "true"});
        }
        std::ranges::move(source_.overrides(), std::back_inserter(result));
        for (const std::string& set : sets_) {
            result.push_back(scenario::parse_override(set));
        }
        given_ = result.size();
        return result;
    }

    /// Runs once and writes everything but the JSON, which may hold several runs.
    [[nodiscard]] ordered_json one(const scenario::ScenarioFile& file,
                                   const std::vector<scenario::Override>& run,
                                   const RunPlace& place,
                                   const RecordingPlace& recording,
                                   const toolchain::Installation& installation) const {
        scenario::RunResult result;
        try {
            result = simulate(file, run, place, installation, recording.during);
            result.recording = put_recording(outputs_, place, recording);
        } catch (const UserError&) {
            drop_recording(recording);
            throw;
        }
        RunPlace written = place;
        written.kept = recording.after.empty();
        result.json["recording"] =
            stays(written) ? ordered_json(result.recording.string()) : ordered_json(nullptr);
        write_outputs(outputs_, written, result);
        return {{"exit", result.exit}, {"json", std::move(result.json)}};
    }

    [[nodiscard]] scenario::RunResult simulate(const scenario::ScenarioFile& file,
                                               const std::vector<scenario::Override>& run,
                                               const RunPlace& place,
                                               const toolchain::Installation& installation,
                                               const fs::path& recording) const {
        runtime::SessionProgress session;
        const std::string label = place.count == 1
                                      ? place.label
                                      : fmt::format("[{}/{}] {}", place.number, place.count, place.label);
        const StandardOutput kept{outputs_.alone()};
        if (writes_outputs()) {
            return scenario::execute_apart(file, run, installation, recording, bounds_, before_run);
        }
        const Progress line{label, session, !outputs_.quiet};
        return scenario::execute(file, run, installation, recording, session, before_run);
    }

    /// Says of a program what it cannot know: it may check its results, and find them wrong.
    static void before_run(const scenario::Scenario& scenario) {
        if (scenario.program && !scenario.functional) {
            complain(
                "ascendsim: only the time is simulated, no numbers are computed: a check of results in the "
                "program itself fails\n");
        }
    }

    std::string scenario_;
    std::string behind_dashes_;  // the first word there
    std::string chip_;
    std::vector<std::string> sets_;
    bool timing_only_ = false;
    bool sanitize_ = false;
    bool strict_ = false;
    bool verbose_ = false;
    std::optional<std::uint32_t> perturb_;
    SourceOptions source_;
    OutputChoice outputs_;
    Limits limits_;
    runtime::IsolatedLimits bounds_;
    std::size_t given_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_run() {
    return std::make_unique<RunCommand>();
}

}  // namespace ascendsim::cli
