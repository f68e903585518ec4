// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/analysis/advice/explain.hpp"

namespace ascendsim::gui {

/// What is computed once for a whole run: figures, bottleneck, critical path and advice.
using RunAnalysis = analysis::Explanation;

}  // namespace ascendsim::gui
