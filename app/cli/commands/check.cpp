// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "app/cli/auto_sync_option.hpp"
#include "app/cli/batch_progress.hpp"
#include "app/cli/command.hpp"
#include "app/cli/kept_runs.hpp"
#include "app/cli/limits.hpp"
#include "app/cli/text_output.hpp"
#include "app/studies/check_report.hpp"
#include "app/studies/check_run.hpp"
#include "app/studies/failure_cause.hpp"
#include "app/studies/failure_page.hpp"
#include "sim/base/error.hpp"
#include "sim/base/missing_file.hpp"
#include "sim/process/file_text.hpp"
#include "sim/process/interruption.hpp"
#include "sim/record/handed_on.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using study::CheckedRun;

/// What one scenario file asks for.
struct Asked {
    study::BatchRun run;
    study::BaselineLimits limits;
    std::optional<lessons::Lesson> lesson{};  // whose goals it is to reach
};

class CheckCommand final : public Command {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "Check scenarios against their limits and baselines; exit code 1 if one fails, 2 if one "
               "cannot run as it is asked";
    }

    void declare(Options& options) override {
        options.positionals(
            "SCENARIO", scenarios_, "files or names of scenarios; of a folder all scenarios in it and below");
        options.list("-k", words_, "WORD", "run only those whose name holds WORD; !WORD: that does not");
        options.flag("-x", first_failure_, "stop at the first failure");
        options.option("--durations", durations_, "N", "print the N runs whose simulation took longest");
        options.option("--baseline", baseline_, "DIR", "folder with the figures of earlier runs");
        options.flag("--update", update_, "write the figures of this run as the baseline");
        options.flag("--recordings",
                     recordings_,
                     "with --update: keep recordings of any size beside the figures, not only small ones");
        options.flag("--figures-only", figures_only_, "with --update: keep no recordings");
        options.flag("--strip",
                     strip_,
                     "leave sources, macros and folders out of the recordings of baselines and failures");
        options.output("--junit", junit_, Output::file, "FILE", "write results as JUnit XML");
        options.output("--markdown", markdown_, Output::file, "FILE", "write a summary in Markdown");
        options.output(
            "--out", out_, Output::folder, "DIR", "folder for reports of failures (default out/check)");
        options.option("--jobs", jobs_, "N", "number of runs at a time (default 2)");
        options.output("--json", json_, Output::file, "FILE", "write results as JSON");
        options.option(
            "--perturb",
            perturb_,
            "N",
            "run each scenario N more times with other legal timings: results that differ are a race");
        limits_.declare(options);
        options.option("--chip", chip_, "CHIP", "simulate CHIP instead of the scenarios' chips");
        auto_sync_.declare(options);
        options.list("--set", sets_, "PATH=VALUE", "set a value in all scenarios");
    }

    [[nodiscard]] int run(const toolchain::Installation& installation) override {
        const runtime::IsolatedLimits bounds =
            limits_.enter({.sources = scenarios_,
                           .folders = baseline_.empty() ? std::vector<std::string>{} : std::vector{baseline_},
                           .outputs = {update_ ? baseline_ : std::string{},
                                       out_.empty() ? std::string{"out/check"} : out_,
                                       junit_,
                                       markdown_,
                                       json_}},
                          installation);
        if (update_ && baseline_.empty()) {
            throw UserError{"check --update: needs --baseline DIR, where it writes the figures"};
        }
        if (fs::is_regular_file(baseline_)) {
            throw UserError{
                "--baseline {}: is a file; name the folder of baselines, in which RUN.json is that of a run",
                baseline_};
        }
        if (!update_ && !baseline_.empty() && !fs::is_directory(baseline_)) {
            throw UserError{"--baseline {}: there is nothing to compare with (--update creates it): {}",
                            baseline_,
                            why_no_folder(baseline_)};
        }
        scenarios_ = with_folders(scenarios_);
        std::vector<CheckedRun> checked;
        std::vector<Asked> asked = ask(installation, checked);
        std::erase_if(asked, [this](const Asked& one) { return !is_wanted(one.run.label); });
        std::erase_if(checked, [this](const CheckedRun& one) { return !is_wanted(one.label); });
        if (asked.empty() && checked.empty()) {
            throw UserError{"check: no run has a name that -k asks for"};
        }
        const process::Interruption interruption;  // what has been checked by then is told
        std::vector<std::string> not_run;
        const std::size_t left_out = simulate(asked, installation, bounds, checked, not_run);
        for (CheckedRun& run : checked) {
            if (!run.passed() && !run.missing) {
                write_page(run);
            }
        }
        print(checked, not_run, left_out);
        if (!not_run.empty()) {  // Ctrl-C behind the last run stopped nothing
            return exit_interrupted;
        }
        const bool good = std::ranges::all_of(checked, &CheckedRun::passed);
        const bool mistaken = std::ranges::any_of(checked, &CheckedRun::mistake);
        return mistaken ? exit_user : good ? exit_good : exit_check_failed;
    }

private:
    /// Runs all, or with -x as many as it takes to find a failure; returns how many were left out. The names
    /// of those that Ctrl-C stopped, or kept from starting, go to `not_run`.
    [[nodiscard]] std::size_t simulate(const std::vector<Asked>& asked,
                                       const toolchain::Installation& installation,
                                       const runtime::IsolatedLimits& bounds,
                                       std::vector<CheckedRun>& checked,
                                       std::vector<std::string>& not_run) const {
        const std::size_t step = first_failure_ ? std::max<std::size_t>(1, jobs_) : asked.size();
        std::size_t done = 0;
        const auto failed = [&] { return !std::ranges::all_of(checked, &CheckedRun::passed); };
        // With -x there are many batches, but one bar over all runs.
        const auto bar = batch_progress();
        const auto progress = [&](std::size_t ended, std::size_t /*of_batch*/, const std::string& label) {
            if (bar) {
                bar(done + ended, asked.size(), label);
            }
        };
        while (done < asked.size() && !(first_failure_ && failed())) {
            const std::size_t end = std::min(asked.size(), done + step);
            std::vector<study::BatchRun> runs;
            for (std::size_t i = done; i < end; ++i) {
                runs.push_back(asked[i].run);
            }
            const std::vector<study::BatchResult> results =
                study::run_batch(runs,
                                 installation,
                                 {.jobs = jobs_,
                                  .look = {},
                                  .progress = progress,
                                  .limits = bounds,
                                  .stopped = &process::Interruption::came});
            for (std::size_t i = done; i < end; ++i) {
                if (const study::BatchResult& result = results[i - done]; !result.stopped) {
                    checked.push_back(judged(asked[i], result));
                    continue;
                }
                std::error_code missing;
                fs::remove(asked[i].run.recording, missing);  // what there is of it
                not_run.push_back(asked[i].run.label);
            }
            done = end;
        }
        if (bar && done < asked.size()) {
            bar(asked.size(), asked.size(), {});  // takes the bar away
        }
        return asked.size() - done;
    }

    [[nodiscard]] bool is_wanted(const std::string& label) const {
        bool asked = false;  // for any by name
        bool found = false;
        for (const std::string& word : words_) {
            if (word.starts_with('!')) {
                if (label.find(word.substr(1)) != std::string::npos) {
                    return false;
                }
                continue;
            }
            asked = true;
            found = found || label.find(word) != std::string::npos;
        }
        return found || !asked;
    }

    /// Folders that tools keep for themselves, and what was built.
    [[nodiscard]] static bool is_no_project_of_ours(const fs::path& folder) {
        std::error_code none;
        return folder.filename().string().starts_with('.') || fs::exists(folder / "CMakeCache.txt", none);
    }

    /// Scenarios of folders in their place, by name. Throws UserError for a folder without any.
    [[nodiscard]] static std::vector<std::string> with_folders(const std::vector<std::string>& names) {
        std::vector<std::string> result;
        for (const std::string& name : names) {
            if (!fs::is_directory(name)) {
                result.push_back(name);
                continue;
            }
            std::vector<std::string> found;
            constexpr auto skipping = fs::directory_options::skip_permission_denied;
            for (fs::recursive_directory_iterator at{name, skipping}; at != fs::end(at); ++at) {
                const fs::directory_entry& entry = *at;
                if (is_no_project_of_ours(entry.path())) {
                    at.disable_recursion_pending();
                    continue;
                }
                if (entry.path().extension() == ".toml" && entry.is_regular_file() &&
                    ("\n" + process::text_of(entry.path())).find("\n[scenario]") != std::string::npos) {
                    found.push_back(entry.path().string());
                }
            }
            if (found.empty()) {
                throw UserError{"check {}: no scenario in this folder, which is a .toml file with [scenario]",
                                name};
            }
            std::ranges::sort(found);
            result.insert(result.end(), found.begin(), found.end());
        }
        return result;
    }

    /// All runs of all scenarios; those that cannot be read go to `checked` as failed.
    [[nodiscard]] std::vector<Asked> ask(const toolchain::Installation& installation,
                                         std::vector<CheckedRun>& checked) {
        std::vector<scenario::Override> overrides;
        if (!chip_.empty()) {
            overrides.push_back({"scenario.chip", fmt::format("\"{}\"", chip_)});
        }
        if (const std::optional<bool> on = auto_sync_.value()) {
            overrides.push_back({"command.auto_sync", *on ? "true" : "false"});
        }
        if (perturb_) {
            overrides.push_back({"run.perturb", fmt::format("{}", *perturb_)});
        }
        for (const std::string& set : sets_) {
            overrides.push_back(scenario::parse_override(set));
        }
        std::vector<Asked> asked;
        for (const std::string& name : scenarios_) {
            try {
                const scenario::ScenarioFile file{name, installation, overrides};
                const std::optional<lessons::Lesson> lesson = lessons::read_lesson(file.toml());
                for (study::BatchRun& run : study::runs_of(file, overrides.size())) {
                    static_cast<void>(file.read(run.run));  // says now what is wrong with it
                    run.recording = place_under_way(run.label);
                    asked.push_back(
                        {.run = std::move(run), .limits = study::read_limits(file.toml()), .lesson = lesson});
                }
            } catch (const UserError& error) {
                checked.push_back(study::unreadable(fs::path{name}.stem().string(), name, error.what()));
                checked.back().missing = is_missing(name, installation);
            } catch (const ProgramError& error) {  // a tiling function of the user's
                checked.push_back(study::unreadable(fs::path{name}.stem().string(), name, error.what()));
                checked.back().mistake = false;
            }
        }
        tell_apart(asked);
        return asked;
    }

    /// Runs of files of one name in several folders get their folder's name too: recordings, baselines and
    /// pages are named after them. Throws UserError if that does not tell them apart.
    static void tell_apart(std::vector<Asked>& asked) {
        std::map<std::string, int> count;
        for (const Asked& one : asked) {
            ++count[one.run.label];
        }
        std::set<std::string> labels;
        for (Asked& one : asked) {
            if (count[one.run.label] > 1) {
                const fs::path folder = fs::absolute(one.run.file.path()).parent_path().filename();
                one.run.label = scenario::file_word(folder.string()) + "-" + one.run.label;
                one.run.recording = place_under_way(one.run.label);
            }
            if (!labels.insert(one.run.label).second) {
                throw UserError{"check: two runs are called '{}'; give one of the files another name",
                                one.run.label};
            }
        }
    }

    /// True for a name of nothing: the command line is wrong then, not what it names.
    [[nodiscard]] static bool is_missing(const std::string& name,
                                         const toolchain::Installation& installation) {
        return !fs::exists(name) && !fs::exists(installation.scenarios() / (name + ".toml")) &&
               !fs::exists(installation.lessons() / (name + ".toml"));
    }

    [[nodiscard]] CheckedRun judged(const Asked& asked, const study::BatchResult& result) const {
        CheckedRun run = study::judge(asked.run.file.read(asked.run.run), asked.run.run, result);
        run.recording = fs::is_regular_file(asked.run.recording)
                            ? keep_run(asked.run.label, asked.run.recording)
                            : fs::path{};
        const bool good = run.passed();  // a lesson's goals are missed until somebody solves it
        if (asked.lesson) {
            study::judge_goals(run, *asked.lesson);
        }
        if (baseline_.empty()) {
            return run;
        }
        if (update_) {
            if (good && run.json.is_object() && run.json.value("outcome", std::string{}) == "complete") {
                update(run);
            }
            return run;
        }
        std::optional<study::Baseline> baseline;
        try {
            baseline = study::read_baseline(baseline_, run.label);
        } catch (const UserError& error) {  // the other runs are checked all the same
            run.lines.push_back(
                {.name = "baseline", .passed = false, .text = error.what(), .file = run.file});
            return run;
        }
        study::judge_baseline(run, baseline, asked.limits);
        if (baseline && good && !run.recording.empty() &&
            study::text_of(*baseline) == study::text_of(study::baseline_of(run.json))) {
            study::remember_recording(run.label, *baseline, run.recording);
        }
        return run;
    }

    void update(CheckedRun& run) const {
        constexpr std::uintmax_t small = 256 * 1024;  // B, what nobody minds in a repository
        study::make_folder(baseline_);
        const study::Baseline baseline = study::baseline_of(run.json);
        study::write_file(fs::path{baseline_} / (run.label + ".json"), study::text_of(baseline));
        const fs::path beside = fs::path{baseline_} / (run.label + ".rec");
        std::error_code missing;
        fs::remove(beside, missing);  // it is of the figures before
        std::string text = "written";
        if (!run.recording.empty()) {
            study::remember_recording(run.label, baseline, run.recording);
            const std::uintmax_t bytes = fs::file_size(run.recording);
            if (!figures_only_ && (recordings_ || bytes <= small)) {
                (strip_ ? record::copy_stripped : record::copy_without_place)(run.recording, beside);
                text +=
                    fmt::format(", with its recording of {}", report::bytes_text(static_cast<double>(bytes)));
            } else if (!figures_only_) {
                text += fmt::format("; its recording of {} stays in the cache, --recordings keeps it here",
                                    report::bytes_text(static_cast<double>(bytes)));
            }
        }
        run.lines.push_back({.name = "baseline", .passed = true, .text = text, .file = run.file});
    }

    /// A recording for a page; none if it is damaged, as the page does without. That of a baseline in the
    /// cache is deleted then: the next run that equals the baseline is kept in its place.
    [[nodiscard]] static std::optional<record::Recording> intact(const fs::path& recording) {
        try {
            return std::optional<record::Recording>{recording};
        } catch (const UserError&) {
            std::error_code gone;
            if (recording.parent_path() == toolchain::cache_folder() / "baselines") {
                fs::remove(recording, gone);
            }
            return std::nullopt;
        }
    }

    /// A recording beside the page of a failure. One that is damaged is copied as it is, unless that would
    /// hand on what was to be left out.
    void copy_of_failure(const fs::path& from, const fs::path& to) const {
        if (!strip_) {
            fs::copy_file(from, to, fs::copy_options::overwrite_existing);
            return;
        }
        try {
            record::copy_stripped(from, to);
        } catch (const UserError&) {
            std::error_code gone;
            fs::remove(to, gone);
        }
    }

    /// Writes what a failure looks like, with its recording beside it.
    void write_page(CheckedRun& run) const {
        const fs::path folder = out_.empty() ? fs::path{"out"} / "check" : fs::path{out_};
        study::make_folder(folder);
        std::optional<record::Recording> now;
        std::optional<record::Recording> before;
        fs::path recording;
        if (!run.recording.empty()) {
            recording = folder / (run.label + ".rec");
            copy_of_failure(run.recording, recording);
            now = intact(recording);  // a kernel may have damaged its own
            if (!baseline_.empty() && !run.drifts.empty()) {
                if (const fs::path earlier = study::recording_of(run.label, baseline_); !earlier.empty()) {
                    before = intact(earlier);
                }
            }
        }
        run.cause = study::cause_of_failure(run, before ? &*before : nullptr, now ? &*now : nullptr);
        run.page = folder / (run.label + ".html");
        study::write_file(
            run.page,
            study::failure_page(run, before ? &*before : nullptr, now ? &*now : nullptr, recording));
    }

    void print(const std::vector<CheckedRun>& checked,
               const std::vector<std::string>& not_run,
               std::size_t left_out) const {
        const bool alone = takes_standard_output({json_, junit_, markdown_});
        if (!alone) {
            say(study::check_text(checked, report::Style::of_terminal(STDOUT_FILENO)));
            say(left_out == 0
                    ? std::string{}
                    : fmt::format(
                          "{} run{} left out after the first failure\n", left_out, left_out == 1 ? "" : "s"));
            say(study::not_run_text(not_run));
            say(study::durations_text(checked, durations_));
        }
        write_json(json_, "check", study::check_json(checked, not_run));
        if (std::getenv("GITHUB_ACTIONS") != nullptr) {
            // A runner takes annotations from either stream.
            command_service(study::github_annotations(checked), alone);
            if (const char* const summary = std::getenv("GITHUB_STEP_SUMMARY")) {
                std::ofstream{summary, std::ios::app} << study::check_markdown(checked, not_run);
            }
        }
        if (!junit_.empty()) {
            write_text(junit_, study::junit_xml(checked, not_run));
        }
        if (!markdown_.empty()) {
            write_text(markdown_, study::check_markdown(checked, not_run));
        }
    }

    std::vector<std::string> scenarios_;
    std::vector<std::string> words_;
    bool first_failure_ = false;
    std::uint32_t durations_ = 0;
    std::string baseline_;
    bool update_ = false;
    bool recordings_ = false;
    bool figures_only_ = false;
    bool strip_ = false;
    std::string junit_;
    std::string markdown_;
    std::string out_;
    std::string json_;
    std::uint32_t jobs_ = 2;
    std::optional<std::uint32_t> perturb_;
    Limits limits_{Usual::bounded};
    std::string chip_;
    std::vector<std::string> sets_;
    AutoSyncOption auto_sync_;
};

}  // namespace

std::unique_ptr<Command> make_check() {
    return std::make_unique<CheckCommand>();
}

}  // namespace ascendsim::cli
