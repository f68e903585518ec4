// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace ascendsim::gui {

/// A program that runs beside the dashboard. Nothing here waits; whatever the program does, the dashboard
/// goes on.
class ChildProcess {
public:
    /// Starts `arguments[0]` with its two output streams going to files. Throws UserError if it cannot be
    /// started.
    ChildProcess(const std::vector<std::string>& arguments,
                 const std::filesystem::path& output,
                 const std::filesystem::path& errors);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    /// Ends the program if it still runs.
    ~ChildProcess();

    /// Its exit code once it has ended, 128 + signal if a signal ended it.
    [[nodiscard]] std::optional<int> poll();
    /// Asks it to end; one that does not listen is ended by poll() a second later.
    void cancel();

    [[nodiscard]] bool cancelled() const { return cancelled_at_.has_value(); }

private:
    using Clock = std::chrono::steady_clock;

    pid_t pid_ = -1;
    std::optional<int> exit_;
    std::optional<Clock::time_point> cancelled_at_;
};

/// What a file holds, at most its last `most` bytes; empty if there is none.
[[nodiscard]] std::string read_tail(const std::filesystem::path& file, std::size_t most);

}  // namespace ascendsim::gui
