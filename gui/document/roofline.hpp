// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gui/document/run.hpp"
#include "gui/shell/view_state.hpp"

namespace ascendsim::gui {

/// One way of bytes: the roof it puts over the run, and where the run stands under it.
struct Roof {
    std::string name;     ///< "HBM", "GM to UB"
    std::string pipe;     ///< that moves the bytes; "hbm", "l2_reads", "l2_writes" for what all cores share
    double gb_per_s = 0;  ///< at most, all cores together; decimal
    double used_gb_per_s = 0;
    double intensity = 0;  ///< operations per byte that went this way; 0 if none did
};

/// Operations per second of a stretch of the run, and the roofs over it.
struct Roofline {
    std::string peak_name;  ///< "cube" or "vector", by what did more of the work
    double peak_gops = 0;   ///< 1e9 operations per second, all cores; operands of two bytes unless stated
    double gops = 0;
    std::vector<Roof> roofs;
};

/// No roofs if the recording does not name its chip.
[[nodiscard]] Roofline roofline_of(const Run& run, TimeRange range);

}  // namespace ascendsim::gui
