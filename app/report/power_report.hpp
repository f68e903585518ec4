// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/analysis/power_curve.hpp"
#include "app/report/style.hpp"

namespace ascendsim::report {

/// What a run draws over time: a line of bars, the peak, and the time of a chip that slows down to its limit.
[[nodiscard]] std::string power_text(const analysis::PowerCurve& curve, const Style& style);

/// Watts over time against the limit, as an <svg> element.
[[nodiscard]] std::string power_plot(const analysis::PowerCurve& curve);

}  // namespace ascendsim::report
