// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "app/validation/serving/served_row.hpp"
#include "app/validation/serving/source_statement.hpp"
#include "app/validation/serving/step_runs.hpp"

namespace ascendsim::validation {

/// The sum of a step's kernels, or of those of the passes of a profiled window, or of its collectives: a row
/// of step_trace, or a sum of kernel_mean.
struct StepSumCase {
    std::string file;  // the system, with a load of one request
    std::vector<WindowPass> passes;
    bool one_layer = false;
    std::vector<std::string> kernels;       // that the sum counts, once each; empty: all
    std::vector<StatedLaunch> beside;       // kernels of the window beside those of its passes
    std::vector<StatedExchange> exchanges;  // that are the sum instead, of a row about communication
    std::string assumed;
};

/// True if the row is about such a sum.
[[nodiscard]] bool is_step_sum(const SystemRow& row);

/// Sizes are those of the row, or of what its source says elsewhere (statements.toml). Of what holds waiting
/// or is nowhere stated, says so.
[[nodiscard]] std::variant<StepSumCase, WhyNot> step_sum_case(const SystemRow& row,
                                                              const toolchain::Installation& installation,
                                                              const ServingData& data);

/// The time of these collectives on the machine of the system `file`, each with nothing beside it.
[[nodiscard]] KernelSum exchanges_sum(const std::string& file,
                                      const std::vector<StatedExchange>& exchanges,
                                      const toolchain::Installation& installation);

}  // namespace ascendsim::validation
