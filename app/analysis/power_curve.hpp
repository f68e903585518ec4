// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What a chip draws over the time of a run, in stretches of the same length.
struct PowerCurve {
    double stretch_us = 0;
    std::vector<double> watts;  // mean of each stretch, whatever the limit
    double idle_w = 0;
    double limit_w = 0;   // 0: none is known
    double spread = 0;    // of the run's energy, as a share of it: how far all watts may be off
    double peak_w = 0;    // of the stretch that draws most
    double above_us = 0;  // stretches above the limit
    double run_us = 0;
    double limited_us = 0;  // the run of a chip that slows down to its limit where it is above

    [[nodiscard]] double joules() const;
};

/// The curve of the executions reported, in at most `stretches` parts of one cycle at least; nothing if the
/// recording has no power parameters, or took no time.
[[nodiscard]] std::optional<PowerCurve> power_curve(const record::Recording& recording,
                                                    const RunSummary& summary,
                                                    std::size_t stretches);

/// stretch_us, idle_w, limit_w, spread, peak_w, above_us, limited_us, watts[].
[[nodiscard]] nlohmann::ordered_json to_json(const PowerCurve& curve);

}  // namespace ascendsim::analysis
