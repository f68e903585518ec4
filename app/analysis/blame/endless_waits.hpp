// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What one pipe of some cores waited for when the run stopped, as "wait_flag at add.cpp:65 waits for flag 0
/// from mte2".
struct EndlessWait {
    std::vector<std::string> cores;  // in the order of their lanes
    std::string pipe;
    std::string text;
    std::uint64_t first = 0;  // cycle at which the first of them began to wait, and the last
    std::uint64_t last = 0;
};

/// The waits of a failed run that never ended, those with the same words together.
[[nodiscard]] std::vector<EndlessWait> endless_waits(const RunSummary& summary,
                                                     const record::Recording& recording);

}  // namespace ascendsim::analysis
