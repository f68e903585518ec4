// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// Time for one reason.
struct Share {
    std::string what;  // "computing", "communication", …; of free time its cause
    Picoseconds time = 0;
    std::string place{};  // file and line of the task to blame; empty: there is none
};

/// What a device can be at, or what holds it up. Of several things at a time the first of this list counts.
enum class Doing : std::uint8_t {
    computing,
    communication,
    rank_wait,  // for the last rank of a collective
    copy,
    launch,
    stream_wait,  // for work of another device's stream
    host,         // the host makes calls, or goes on after it waited
    nothing
};

inline constexpr std::size_t doing_count = 8;

[[nodiscard]] constexpr std::size_t index(Doing doing) {
    return static_cast<std::size_t>(doing);
}

/// What held a device up: words, and the source line to blame.
struct Cause {
    std::string what;
    std::string place;

    friend bool operator==(const Cause&, const Cause&) = default;
};

/// A stretch of time in which a device does something.
struct Busy {
    Picoseconds start = 0;
    Picoseconds end = 0;
    Doing doing = Doing::nothing;
    std::uint32_t cause = 0;  // a number that its user gives
};

/// Where a device's time went.
struct Occupation {
    std::array<Picoseconds, doing_count> sums{};  // by Doing; they add up to the length
    std::vector<Picoseconds> causes;  // by number: time in which this held the device up, and nothing hid it
    Picoseconds communication = 0;    // all of it, hidden or not

    [[nodiscard]] Picoseconds operator[](Doing doing) const { return sums[index(doing)]; }

    /// Neither computing, nor communicating, nor copying.
    [[nodiscard]] Picoseconds free() const;
};

/// Walks over the time of a device, from 0 to `length`. Causes have numbers below `causes`.
[[nodiscard]] Occupation occupation_of(const std::vector<Busy>& busy, Picoseconds length, std::size_t causes);

/// Free time by cause, the largest first; it adds up to free(). `causes` are by number.
[[nodiscard]] std::vector<Share> free_time(const Occupation& occupation, const std::vector<Cause>& causes);

}  // namespace ascendsim::node
