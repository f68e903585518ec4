// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/serving/serve_report.hpp"

namespace ascendsim::serving {

/// One page: figures, requests and cache over time, shares of requests by latency, where steps' time goes,
/// variants and rungs as bars.
[[nodiscard]] std::string serve_html(const ServeRun& run,
                                     const std::vector<Variant>& variants,
                                     const std::vector<Variant>& rungs);

}  // namespace ascendsim::serving
