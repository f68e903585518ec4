// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/analysis/blame/critical_path.hpp"

namespace ascendsim::analysis {

/// Who is to blame for the bubbles of one kind of pipe.
struct Blame {
    std::string pipe;          // as PipeUnit::name
    std::uint64_t cycles = 0;  // all its waiting within the window
    std::vector<Root> roots;   // sum to `cycles`, largest first
};

/// Follows every bubble in [from, to) through its chain of waits to what was really going on meanwhile: each
/// of its cycles is charged to the instruction, or the launch, that the chain leads to at that cycle. One
/// entry for each kind of pipe that was used.
[[nodiscard]] std::vector<Blame> blame_of(const record::Recording& recording,
                                          std::uint64_t from,
                                          std::uint64_t to);

}  // namespace ascendsim::analysis
