// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ascendsim::report {

/// Puts cycles of the chip onto the time axis of the host program that ran. A run without a program has one
/// axis anyway.
class ProgramAxis {
public:
    /// `totals` are those of the recording.
    ProgramAxis(const nlohmann::json& totals, double cycles_per_us);

    /// Microseconds of a point in time.
    [[nodiscard]] double us(std::uint64_t cycle) const;

private:
    struct Shift {
        std::uint64_t from;  // cycle at which a launch starts
        double us;           // that its part of the axis is moved
    };

    double cycles_per_us_;
    std::vector<Shift> shifts_;
};

/// Events of Chrome's trace format, each as one text: the host's thread and the streams of the program, as
/// threads of process `process`. Empty if no program ran.
[[nodiscard]] std::vector<std::string> program_events(const nlohmann::json& totals, std::size_t process);

}  // namespace ascendsim::report
