// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// How unevenly the cores of a run are used.
///
/// Summed over launches: the time in which a core of a kind that takes part stands idle, on average over the
/// cores of that kind; where both kinds take part the smaller of the two, as the other still needs the rest.
/// No dealing of the same work saves more.
struct Balance {
    std::uint64_t done_cycles = 0;  // behind its last instruction
    std::uint64_t idle_cycles = 0;  // the same, or from the beginning
    bool spare_cores = false;       // a core did nothing in any launch though its kind took part
};

/// Reads it off a recording's lanes in [from, to).
[[nodiscard]] Balance balance_of(const record::Recording& recording, std::uint64_t from, std::uint64_t to);

}  // namespace ascendsim::analysis
