// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "models/sanitize/poison/poison.hpp"

namespace ascendsim::runtime {

/// Runs the same work again, each time in a process of its own whose memory starts with another poison.
/// SystemC elaborates once in a process, and a kernel leaves its traces: so a process that has done neither
/// is forked ahead and waits to be asked.
class Twins {
public:
    /// `work` runs once with the poison given and returns what it came to, no matter where its results lie.
    /// To be made before a simulation is, and before code that is not ours is loaded.
    explicit Twins(std::function<nlohmann::ordered_json(const sanitize::Poison&)> work);
    Twins(const Twins&) = delete;
    Twins& operator=(const Twins&) = delete;
    /// Ends the process that waits.
    ~Twins();

    /// What the work came to with this poison, null if it did not come to its end; nothing if no process
    /// answers.
    [[nodiscard]] std::optional<nlohmann::ordered_json> run(const sanitize::Poison& poison);

private:
    [[noreturn]] void serve(const std::function<nlohmann::ordered_json(const sanitize::Poison&)>& work);

    /// False once the process has ended by itself.
    [[nodiscard]] bool is_there();

    pid_t process_ = -1;
    int requests_ = -1;  // what the process is asked
    int answers_ = -1;
};

}  // namespace ascendsim::runtime
