// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/record/span_chunk.hpp"

namespace ascendsim::record {

/// What a lane did, added up while it is recorded: known even of a run whose spans nobody keeps.
struct LaneTotals {
    std::uint64_t busy_cycles = 0;  // of spans that are no waits
    std::uint64_t active_cycles =
        0;  // in which one of these, or a wait inside one, had begun and not completed
    std::uint64_t active_until = 0;  // completion of the last of them
    std::uint64_t conflict_cycles = 0;
    std::uint64_t first = 0;        // start of the first span
    std::uint64_t last = 0;         // end of the last
    std::uint64_t moved_bytes = 0;  // of transfers to and from global memory
    std::uint64_t l2_hit_bytes = 0;
    std::uint64_t hbm_read_bytes = 0;
    std::uint64_t hbm_write_bytes = 0;

    std::uint64_t begin = 0;  // cycle; spans that end by then do not count

    /// Forgets what was added; only spans that end after `cycle` count from now on.
    void begin_at(std::uint64_t cycle) { *this = {.first = cycle, .last = cycle, .begin = cycle}; }

    /// Adds a chunk's spans.
    void add(const SpanChunk& chunk);

    friend bool operator==(const LaneTotals&, const LaneTotals&) = default;
};

}  // namespace ascendsim::record
