// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/advice_trials.hpp"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/analysis/advice/setting_advice.hpp"
#include "gui/runs/run_origin.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_jobs = 2;  // the dashboard wants a processor too
constexpr std::string_view no_figures = "it left no figures of a run";

/// "buffers=2" of "kernel.buffers=2".
std::string short_name(const std::string& setting) {
    const std::size_t dot = setting.substr(0, setting.find('=')).rfind('.');
    return dot == std::string::npos ? setting : setting.substr(dot + 1);
}

void remove_files(const RunEntry& run) {
    for (const fs::path& file :
         {run.recording, figures_file(run.recording), fs::path{run.recording}.replace_extension(".log")}) {
        std::error_code ignored;
        fs::remove(file, ignored);
    }
}

/// A complaint without the scenario's file and line in front, which whoever tries advice has not written.
std::string without_place(const std::string& error, const fs::path& scenario) {
    const std::string place = scenario.string() + ":";
    if (!error.starts_with(place)) {
        return error;
    }
    const std::size_t words = error.find_first_not_of("0123456789: ", place.size());
    return words == std::string::npos ? error : error.substr(words);
}

/// The first line of a complaint, and what the compiler says where it is one of a source that does not
/// compile.
std::string in_short(const std::string& error) {
    std::string words = error.substr(0, error.find('\n'));
    constexpr std::string_view mark = " error: ";
    if (const std::size_t at = error.find(mark, words.size()); at != std::string::npos) {
        const std::size_t begin = error.rfind('/', at);
        const std::size_t line = error.rfind('\n', at) + 1;
        const std::size_t from = begin == std::string::npos || begin < line ? line : begin + 1;
        words += ": " + error.substr(from, error.find('\n', at) - from);
    }
    return words;
}

bool has_recording(const RunEntry& run) {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(run.recording, error);
    return !error && size > 0;
}

}  // namespace

AdviceTrials::AdviceTrials(fs::path program, fs::path folder, std::string stem, const Run& run)
    : program_{std::move(program)}, folder_{std::move(folder)}, stem_{std::move(stem)} {
    check(run.analysis() != nullptr, "advice is tried before it is there");
    RunOrigin origin = origin_of(run);
    scenario_ = std::move(origin.scenario);
    settings_ = std::move(origin.settings);
    cycles_ = run.analysis()->summary.cycles;
    before_us_ = run.analysis()->summary.time_us;
}

std::optional<std::string> AdviceTrials::obstacle(const Run& run) {
    if (run.analysis() == nullptr || !run.recording().complete()) {
        return "The run has not ended yet";
    }
    if (std::optional<std::string> missing = origin_of(run).missing) {
        return missing;
    }
    return std::nullopt;
}

void AdviceTrials::add(const std::vector<std::string>& settings) {
    if (!busy()) {
        repeated_ = false;
        finished_ = 0;
        asked_ = 1;
        begin_ = Clock::now();
    }
    for (const std::string& setting : settings) {
        const auto known =
            std::ranges::find(trials_, setting, [](const auto& trial) { return trial->setting; });
        if (known != trials_.end() &&
            ((*known)->state != TrialState::done || (*known)->result.problem.empty())) {
            continue;
        }
        if (known == trials_.end()) {
            trials_.push_back(std::make_unique<Trial>());
            trials_.back()->setting = setting;
        } else {
            **known =
                Trial{.setting = setting, .state = TrialState::waiting, .result = {}, .run = {}, .number = 0};
        }
        ++asked_;
    }
    if (asked_ > 1 && !busy()) {
        repeat();
    }
    start_waiting();
}

/// Files are numbered on, so that no earlier trial is overwritten.
RunEntry AdviceTrials::entry_for(const std::string& setting) const {
    RunEntry entry{.number = 0,
                   .name = setting.empty() ? stem_ : short_name(setting),
                   .scenario = scenario_,
                   .settings = settings_,
                   .sandbox = true,
                   .recording = {},
                   .status = RunStatus::running,
                   .seconds = 0,
                   .error = {},
                   .figures = {}};
    if (!setting.empty()) {
        const std::size_t equals = setting.find('=');
        const std::string path = setting.substr(0, equals);
        std::erase_if(entry.settings, [&](const lessons::Setting& one) { return one.first == path; });
        entry.settings.emplace_back(path, equals == std::string::npos ? "" : setting.substr(equals + 1));
    }
    const auto taken = [&](const fs::path& path) {
        return fs::exists(path) || path == repeat_.recording ||
               std::ranges::any_of(trials_, [&](const auto& trial) { return trial->run.recording == path; });
    };
    for (int n = 1; entry.recording.empty() || taken(entry.recording); ++n) {
        entry.recording = folder_ / fmt::format("{}_try_{}.rec", stem_, n);
    }
    return entry;
}

void AdviceTrials::repeat() {
    repeat_ = {};
    repeat_ = entry_for({});
    start(nullptr);
}

void AdviceTrials::start_waiting() {
    for (const std::unique_ptr<Trial>& trial : trials_) {
        if (jobs_.size() < most_jobs && trial->state == TrialState::waiting) {
            trial->run = entry_for(trial->setting);
            trial->state = TrialState::running;
            start(trial.get());
        }
    }
}

void AdviceTrials::start(Trial* trial) {
    RunEntry& run = trial == nullptr ? repeat_ : trial->run;
    Job job{.trial = trial, .process = nullptr};
    try {
        fs::create_directories(folder_);
        job.process = std::make_unique<RunJob>(program_, run);
    } catch (const std::exception& error) {  // of the file system or of the child
        run.status = RunStatus::failed;
        run.error = error.what();
        job.ended = true;
    }
    jobs_.push_back(std::move(job));
}

std::vector<Trial*> AdviceTrials::poll() {
    for (Job& job : jobs_) {
        RunEntry& run = job.trial == nullptr ? repeat_ : job.trial->run;
        job.ended = job.ended || job.process->poll(run);
        if (job.ended && job.trial == nullptr && !repeated_) {
            repeated_ = true;
            remove_files(repeat_);
        }
    }
    std::vector<Trial*> ended;
    for (const Job& job : jobs_) {
        if (job.ended && repeated_ && job.trial != nullptr) {
            judge(*job.trial);
            ended.push_back(job.trial);
        }
    }
    finished_ += std::erase_if(jobs_, [&](const Job& job) { return job.ended && repeated_; });
    start_waiting();
    std::erase_if(ended, [](const Trial* trial) { return !has_recording(trial->run); });
    return ended;
}

std::string AdviceTrials::problem_of_repeat() const {
    if (!analysis::ended(repeat_.figures)) {
        const std::string said = repeat_.error.empty() ? std::string{no_figures} : in_short(repeat_.error);
        return fmt::format("the run without it fails now: {}", said);
    }
    const auto cycles = static_cast<std::uint64_t>(repeat_.figure("cycles"));
    if (cycles != cycles_) {
        return fmt::format(
            "the run without it takes {} cycles now, not {}: what it is made of has changed; run it again "
            "before trying",
            cycles,
            cycles_);
    }
    return {};
}

void AdviceTrials::judge(Trial& trial) const {
    trial.state = TrialState::done;
    if (std::string problem = problem_of_repeat(); !problem.empty()) {
        trial.result = {.setting = trial.setting, .problem = std::move(problem)};
        return;
    }
    const std::string said =
        trial.run.error.empty() ? std::string{no_figures} : without_place(trial.run.error, scenario_);
    trial.result = analysis::judge_trial(trial.setting, trial.run.figures, said, repeat_.figures);
}

void AdviceTrials::cancel() {
    std::vector<RunEntry> left;
    for (const Job& job : jobs_) {
        left.push_back(job.trial == nullptr ? repeat_ : job.trial->run);
    }
    jobs_.clear();  // which ends the children
    std::ranges::for_each(left, remove_files);
    std::erase_if(trials_, [](const auto& trial) { return trial->state != TrialState::done; });
}

TrialProgress AdviceTrials::progress() const {
    TrialProgress result{.done = finished_,
                         .all = asked_,
                         .seconds = std::chrono::duration<double>(Clock::now() - begin_).count(),
                         .share = 0};
    double usual = repeat_.status == RunStatus::running ? 0 : repeat_.seconds;
    for (const std::unique_ptr<Trial>& trial : trials_) {
        usual = trial->state == TrialState::done ? std::max(usual, trial->run.seconds) : usual;
    }
    auto units = static_cast<double>(finished_);
    for (const Job& job : jobs_) {
        const RunEntry& run = job.trial == nullptr ? repeat_ : job.trial->run;
        constexpr double nearly = 0.95;
        units += job.ended ? 1 : usual > 0 ? std::min(nearly, run.seconds / usual) : 0;
    }
    result.share = asked_ == 0 ? 0 : units / static_cast<double>(asked_);
    return result;
}

const Trial* AdviceTrials::find(const std::string& setting) const {
    const auto found = std::ranges::find(trials_, setting, [](const auto& trial) { return trial->setting; });
    return found == trials_.end() ? nullptr : found->get();
}

std::vector<std::string> AdviceTrials::steps_behind(const analysis::Advice& advice) const {
    std::vector<analysis::AdviceTrial> judged;
    for (const std::unique_ptr<Trial>& trial : trials_) {
        if (trial->state == TrialState::done && trial->result.problem.empty()) {
            judged.push_back(trial->result);
        }
    }
    std::vector<std::string> steps = analysis::next_steps({advice}, judged);
    std::erase_if(steps, [&](const std::string& step) {
        const Trial* const trial = find(step);
        return trial != nullptr && trial->state != TrialState::done;
    });
    return steps;
}

}  // namespace ascendsim::gui
