// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "app/validation/serving/served_row.hpp"

namespace ascendsim::validation {

/// The kernels' sum of a step that computes a prompt: a row of step_trace, or a sum of kernel_mean.
struct StepSumCase {
    std::string file;  // the system, with a load of one request
    std::uint64_t tokens = 0;
    bool one_layer = false;
    std::string assumed;
};

/// True if the row is about such a sum.
[[nodiscard]] bool is_step_sum(const SystemRow& row);

/// Of what holds waiting or does not state its sizes, says so.
[[nodiscard]] std::variant<StepSumCase, WhyNot> step_sum_case(const SystemRow& row,
                                                              const toolchain::Installation& installation,
                                                              const ServingData& data);

}  // namespace ascendsim::validation
