// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// How unevenly the cores of a run are used.
///
/// Summed over launches; where both kinds of core take part the smaller of the two, as the other still needs
/// the rest. No dealing of the same work saves more: to the cores that take part `done_cycles`, to all cores
/// of the kind `idle_cycles`, which is never less.
struct Balance {
    std::uint64_t done_cycles = 0;  // behind its last instruction, of a core that takes part on average
    std::uint64_t idle_cycles = 0;  // without work, from the beginning too, of a core of the kind on average
    bool spare_cores = false;       // a core did nothing in any launch though its kind took part
};

/// Reads it off a recording's lanes in [from, to).
[[nodiscard]] Balance balance_of(const record::Recording& recording, std::uint64_t from, std::uint64_t to);

}  // namespace ascendsim::analysis
