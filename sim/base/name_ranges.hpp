// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace ascendsim {

/// Names that end in numbers, in short: "aic0, aiv0 to aiv7", "aiv1, aiv3, … aiv47". The order is kept; names
/// of one series stand together if they are sorted by number.
[[nodiscard]] std::string name_ranges(std::span<const std::string> names);

}  // namespace ascendsim
