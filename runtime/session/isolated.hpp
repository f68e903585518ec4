// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace ascendsim::runtime {

/// What came back from a child process.
struct IsolatedResult {
    int exit = 0;            // by the contract; 0 if the work returned
    std::string error;       // its sentence if it threw, or how the process ended
    int signal = 0;          // that ended the process, if one did
    bool unprinted = false;  // what it printed on standard output could not be written
    bool stopped = false;    // it was not run, or ended before it had a result, as the caller or Ctrl-C asked
    std::string printed{};   // the end of what it printed, where that was held back
    nlohmann::ordered_json value;
};

/// What the work returned. Throws its error with the type that its exit code tells.
[[nodiscard]] nlohmann::ordered_json value_of(IsolatedResult result);

/// What one child process may take at most; 0 is without a limit.
struct IsolatedLimits {
    std::chrono::seconds time{0};  // by the clock on the wall
    std::uint64_t memory = 0;      // B resident
    std::uint64_t output = 0;      // B printed; with it, and in a sandbox, it is made harmless to logs

    bool silent = false;  // what it prints is held back

    [[nodiscard]] bool any() const { return time.count() != 0 || memory != 0 || output != 0; }
};

/// Does `work` in a process of its own, since a simulation elaborates once per process and a kernel may crash
/// for good. What it prints appears where ours does. Waits for its end.
[[nodiscard]] IsolatedResult run_isolated(const std::function<nlohmann::ordered_json()>& work,
                                          const IsolatedLimits& limits = {});

/// Does all of `works`, each in a process of its own and at most `jobs` at a time. Results come in the order
/// of `works`; `ended` hears the number of each as soon as its process has ended. Once `stopped` is true,
/// none is started any more and those that run are ended: both have the error "not run".
[[nodiscard]] std::vector<IsolatedResult> run_isolated(
    const std::vector<std::function<nlohmann::ordered_json()>>& works,
    std::size_t jobs,
    const std::function<void(std::size_t)>& ended = {},
    const IsolatedLimits& limits = {},
    const std::function<bool()>& stopped = {});

}  // namespace ascendsim::runtime
