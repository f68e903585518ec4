// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "gui/runs/child_process.hpp"
#include "gui/runs/run_entry.hpp"

namespace ascendsim::gui {

/// A run under way: the simulator as a child, and the files it writes beside its recording.
class RunJob {
public:
    /// Starts `program` on what `entry` says. Throws UserError if it cannot be started.
    RunJob(const std::filesystem::path& program, const RunEntry& entry);

    /// Brings `entry` up to date; true once the child has ended, however it did.
    bool poll(RunEntry& entry);

    void cancel() { process_->cancel(); }

    /// True once there is something in the recording to open.
    [[nodiscard]] bool has_recording() const;

private:
    void finish(RunEntry& entry, int exit) const;

    std::filesystem::path recording_;
    std::filesystem::path figures_;
    std::filesystem::path errors_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::unique_ptr<ChildProcess> process_;
};

/// The file beside a recording that holds its figures.
[[nodiscard]] std::filesystem::path figures_file(const std::filesystem::path& recording);

/// The figures of a recording, or null.
[[nodiscard]] nlohmann::json read_figures(const std::filesystem::path& recording);

}  // namespace ascendsim::gui
