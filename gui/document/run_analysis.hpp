// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "scenarios/analysis/blame.hpp"
#include "scenarios/analysis/critical_path.hpp"
#include "scenarios/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::gui {

/// What is computed once for a whole run.
struct RunAnalysis {
    analysis::RunSummary summary;
    std::vector<analysis::Blame> blame;
    analysis::CriticalPath path;
};

[[nodiscard]] RunAnalysis analyse(const record::Recording& recording);

}  // namespace ascendsim::gui
