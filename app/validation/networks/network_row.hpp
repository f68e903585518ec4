// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "app/networks/network_figures.hpp"
#include "app/validation/serving/served_row.hpp"

namespace ascendsim::validation {

/// What a row of category fusion_gain states of a network.
enum class FusionMetric : std::uint8_t {
    fused,  // time of what fusion leaves
    apart,  // time of the operators one by one
    gain,   // the one divided by the other
};

/// A row of category fusion_gain: a network of scenarios/networks/operators at the row's extents.
struct FusionCase {
    report::FiguredNetwork network;
    std::string chip;
    FusionMetric metric = FusionMetric::fused;
    std::string assumed;  // what the row does not state, and was taken
};

/// Of what does not name a shipped network, its extents or its chip, or was written by another compiler, says
/// why not.
[[nodiscard]] std::variant<FusionCase, WhyNot> fusion_case(const SystemRow& row,
                                                           const toolchain::Installation& installation);

/// The kernels' sum of a step that computes a prompt: a row of step_trace, or a sum of kernel_mean.
struct StepSumCase {
    std::string file;  // the system, with a load of one request
    std::uint64_t tokens = 0;
    bool one_layer = false;
    std::string assumed;
};

/// True if the row is about such a sum.
[[nodiscard]] bool is_step_sum(const SystemRow& row);

[[nodiscard]] std::variant<StepSumCase, WhyNot> step_sum_case(const SystemRow& row,
                                                              const toolchain::Installation& installation);

}  // namespace ascendsim::validation
