// SPDX-License-Identifier: Apache-2.0
#include "gui/runs/run_job.hpp"

#include <span>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"
#include "sim/record/frames/json_shape.hpp"

namespace ascendsim::gui {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_error = 4000;  // B

fs::path beside(fs::path recording, const char* extension) {
    return recording.replace_extension(extension);
}

std::vector<std::string> command_of(const fs::path& program, const RunEntry& entry, const fs::path& figures) {
    std::vector<std::string> command{program.string(), entry.step ? "step" : "run", entry.scenario.string()};
    if (!entry.step) {
        command.emplace_back("--quiet");
    }
    command.insert(command.end(), {"--record", entry.recording.string(), "--json", figures.string()});
    if (entry.sandbox) {
        command.emplace_back("--sandbox");
    }
    for (const auto& [path, value] : entry.settings) {
        command.insert(command.end(), {"--set", fmt::format("{}={}", path, value)});
    }
    return command;
}

/// What the simulator said, without its name in front and blanks behind.
std::string said(const fs::path& errors, int exit) {
    std::string text = read_tail(errors, most_error);
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    constexpr std::string_view self = "ascendsim: ";
    if (text.starts_with(self)) {
        text.erase(0, self.size());
    }
    constexpr int signalled = 128;
    if (text.empty()) {
        text = exit > signalled ? fmt::format("the simulator was ended by signal {}", exit - signalled)
                                : fmt::format("the simulator ended with exit code {}", exit);
    }
    return text;
}

}  // namespace

fs::path figures_file(const fs::path& recording) {
    return beside(recording, ".json");
}

nlohmann::json read_figures(const fs::path& recording) {
    const std::string text = process::text_of(figures_file(recording));
    try {  // they are the recording's totals and more, and whoever made one may have made the other
        return record::checked_json(record::FrameType::totals, std::as_bytes(std::span{text}));
    } catch (const UserError&) {
        return {};
    }
}

RunJob::RunJob(const fs::path& program, const RunEntry& entry)
    : recording_{entry.recording},
      figures_{figures_file(entry.recording)},
      errors_{beside(entry.recording, ".log")} {
    std::error_code ignored;
    fs::remove(recording_, ignored);
    fs::remove(figures_, ignored);
    process_ = std::make_unique<ChildProcess>(
        command_of(program, entry, figures_), beside(entry.recording, ".out"), errors_);
}

bool RunJob::has_recording() const {
    std::error_code error;
    const std::uintmax_t size = fs::file_size(recording_, error);
    return !error && size > 0;
}

bool RunJob::poll(RunEntry& entry) {
    entry.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    const std::optional<int> exit = process_->poll();
    if (exit) {
        finish(entry, *exit);
    }
    return exit.has_value();
}

void RunJob::finish(RunEntry& entry, int exit) const {
    constexpr int check_failed = 1;
    entry.figures = read_figures(recording_);
    if (entry.figures.is_object() && entry.figures.contains("step_us")) {
        entry.figures["time_us"] = entry.figures["step_us"];  // the history and goals of lessons name either
    }
    if (process_->cancelled()) {
        entry.status = RunStatus::cancelled;
        entry.error = has_recording() ? "cancelled; what was recorded until then is shown"
                                      : "cancelled before anything was recorded";
    } else if (exit == 0 || (exit == check_failed && !entry.figures.empty())) {
        entry.status = RunStatus::complete;
    } else {
        entry.status = RunStatus::failed;
        entry.error = said(errors_, exit);
    }
    std::error_code ignored;
    fs::remove(beside(recording_, ".out"), ignored);
    if (entry.status == RunStatus::complete) {
        fs::remove(errors_, ignored);
    }
}

}  // namespace ascendsim::gui
