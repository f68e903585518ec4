// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenarios/analysis/critical_path.hpp"
#include "scenarios/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// Something worth trying, with what speaks for it and what it can gain at most.
struct Advice {
    std::string sentence;
    std::string evidence;
    std::uint64_t gain_cycles = 0;  // at most: that much of the critical path goes to it
    std::string knob;               // of the scenario, if one fits: "kernel.buffers = 1"
    Root root;                      // its largest cause
};

/// What to try, the largest possible gain first. Every gain is an upper bound: a run cannot become faster by
/// more than the cycles its critical path spends on what is removed.
[[nodiscard]] std::vector<Advice> advice_for(const RunSummary& summary,
                                             const CriticalPath& path,
                                             const record::Recording& recording);

}  // namespace ascendsim::analysis
