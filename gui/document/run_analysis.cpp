// SPDX-License-Identifier: Apache-2.0
#include "gui/document/run_analysis.hpp"

namespace ascendsim::gui {

RunAnalysis analyse(const record::Recording& recording) {
    RunAnalysis result;
    result.summary = analysis::summarise(recording);
    result.blame = analysis::blame_of(recording, result.summary.from, result.summary.to);
    result.path = analysis::critical_path(recording, result.summary.from, result.summary.to);
    return result;
}

}  // namespace ascendsim::gui
