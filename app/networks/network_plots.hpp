// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "app/analysis/machine/recorded_plots.hpp"
#include "models/spec/chip_spec.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::report {

/// A kernel of a network at its time, us.
struct TimedKernel {
    double start_us = 0;
    double end_us = 0;
    const networks::TaskResult* result = nullptr;
    double alive_bytes = 0;  // tensors between operators, while it runs
};

/// Watts, HBM traffic and tensors alive over the time of a network, kernel by kernel; `metadata` may hold the
/// chip's "power".
[[nodiscard]] std::vector<analysis::RecordedPlot> network_plots(const std::vector<TimedKernel>& kernels,
                                                                const ChipSpec& chip,
                                                                const nlohmann::json& metadata);

/// The curves of a stability monitor, as train_network() notes it; none for a null.
[[nodiscard]] std::vector<analysis::RecordedPlot> stability_plots(const nlohmann::ordered_json& stability);

}  // namespace ascendsim::report
