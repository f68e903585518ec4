// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/analysis/advice/advice_trial.hpp"
#include "app/analysis/blame/critical_path.hpp"
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// Something worth trying, with what speaks for it and what it can gain at most.
struct Advice {
    std::string sentence;
    std::string evidence;
    std::uint64_t cause_cycles = 0;  // what speaks for it: cycles of the path, or of waiting
    std::uint64_t gain_cycles = 0;   // at most, see advice_for
    std::string knob;                // of the scenario, if one fits: "kernel.buffers = 1"
    std::string knob_meaning;        // what it is and may be
    std::vector<std::string>
        tries{};  // settings worth a run, as for --set: "kernel.buffers=2"; the next ones of the knob
    std::vector<AdviceTrial> trials{};  // of these settings; empty if nobody ran them
    Root root;                          // its largest cause

    /// The best trial whose time counts; null if there is none.
    [[nodiscard]] const AdviceTrial* best_trial() const;
};

/// What to try, the largest first: by its cause, or by what of that can go where this is less. Every gain is
/// an upper bound: a run cannot become faster by more than the cycles its critical path spends on what is
/// removed, and not faster than the speed of light of the problem. Where a knob is named, the bound is that
/// of the knob, which changes more than the cause it is turned for: the size of tiles all but computing at
/// full rate, the number of buffers all but the work of the busiest pipe, the order all copies and waiting.
/// Of another number of cores the gain is what best_core_count() estimates, longer launch included.
[[nodiscard]] std::vector<Advice> advice_for(const RunSummary& summary,
                                             const CriticalPath& path,
                                             const record::Recording& recording);

}  // namespace ascendsim::analysis
