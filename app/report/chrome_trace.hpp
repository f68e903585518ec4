// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ostream>

#include "sim/record/recording.hpp"

namespace ascendsim::report {

/// What goes into a Chrome trace.
struct TraceOptions {
    std::uint64_t from = 0;  // cycle
    std::uint64_t to = ~std::uint64_t{0};
    std::uint64_t most_spans = 400'000;   // some 100 MB, which viewers still open; 0: no limit
    bool flows = true;                    // arrows from what a wait waited for
    std::uint32_t counter_points = 2000;  // of each counter track over the window
};

/// What was written, and what was left out.
struct TraceResult {
    std::uint64_t spans = 0;
    std::uint64_t left_out = 0;  // spans of the window beyond the limit: the shortest
    std::uint64_t flows = 0;
};

/// Writes Chrome trace JSON (chrome://tracing, Perfetto, MindStudio Insight): a process for each core, a
/// thread for each pipe, counters for bandwidth. Streams; memory does not grow with the trace.
TraceResult write_chrome_trace(std::ostream& out,
                               const record::Recording& recording,
                               const TraceOptions& options = {});

}  // namespace ascendsim::report
