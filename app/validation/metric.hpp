// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/validation/family.hpp"
#include "app/validation/measurement.hpp"

namespace ascendsim::validation {

/// Times a metric stands for; empty if it is another kind of figure.
[[nodiscard]] std::optional<Quantity> quantity_of(const std::string& metric);

/// The pipe of a metric: "aic_mte2" of "aic_mte2_time" or "aic_mte2_ratio"; empty if it is of none.
[[nodiscard]] std::optional<std::string> pipe_of(const std::string& metric);

/// A measured figure as a time, us; nothing if its unit is none and no amount (FLOP or B) turns it into one.
[[nodiscard]] std::optional<double> in_us(const Measurement& row, double amount, double clock_ghz);

}  // namespace ascendsim::validation
