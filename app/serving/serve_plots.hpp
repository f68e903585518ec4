// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/analysis/machine/recorded_plots.hpp"
#include "app/serving/serve_report.hpp"

namespace ascendsim::serving {

/// Requests, tokens and the cache over time, shares of requests by latency, percentiles, where time goes, and
/// rungs of a ladder and other settings as bars: for pages and recordings.
[[nodiscard]] std::vector<analysis::RecordedPlot> serve_plots(const ServeRun& run,
                                                              const std::vector<Variant>& variants,
                                                              const std::vector<Variant>& rungs);

}  // namespace ascendsim::serving
