// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>
#include <sys/types.h>

#include "models/core/late_effects.hpp"
#include "models/sanitize/poison/poison.hpp"

namespace ascendsim::runtime {

/// What another run of the same work differs in.
struct TwinOrder {
    sanitize::Poison poison{};
    EffectTiming timing{};
};

/// Runs the same work again, each time in a process of its own whose memory starts with another poison, or
/// whose instructions take other times.
/// SystemC elaborates once in a process, and a kernel leaves its traces: so a process that has done neither
/// is forked ahead and waits to be asked.
class Twins {
public:
    using Work = std::function<nlohmann::ordered_json(const TwinOrder&, int)>;

    /// `work` runs once as ordered and returns what it came to, no matter where its results lie. What it
    /// writes to the file descriptor given is bytes().
    /// To be made before a simulation is, and before code that is not ours is loaded.
    explicit Twins(Work work);
    Twins(const Twins&) = delete;
    Twins& operator=(const Twins&) = delete;
    /// Ends the process that waits.
    ~Twins();

    /// What the work came to as ordered, null if it did not come to its end; nothing if no process
    /// answers.
    [[nodiscard]] std::optional<nlohmann::ordered_json> run(const TwinOrder& order);

    /// What the last run has written.
    [[nodiscard]] std::string bytes() const;

private:
    [[noreturn]] void serve(const Work& work);

    /// False once the process has ended by itself.
    [[nodiscard]] bool is_there();

    pid_t process_ = -1;
    int requests_ = -1;  // what the process is asked
    int answers_ = -1;
    int written_ = -1;  // memory that it shares
};

}  // namespace ascendsim::runtime
