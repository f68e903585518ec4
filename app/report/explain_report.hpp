// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "app/analysis/advice/explain.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

/// Prints why a run took as long as it did: verdict, roofs, critical path, blame, advice.
void print_explanation(std::ostream& out,
                       const analysis::Explanation& explanation,
                       const record::Recording& recording,
                       const Style& style);

}  // namespace ascendsim::report
