// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/serving/serve_config.hpp"
#include "app/validation/serving/served_row.hpp"
#include "app/validation/system/system_row.hpp"

namespace ascendsim::validation {

/// Why no machine like this has the row's time to the first token or time of a token, with the arithmetic;
/// empty if one may, and of other figures. A prompt is not computed faster than the cubes multiply; a step
/// reads the weights of its layers from HBM, all that L2 does not hold, and makes no more tokens of a
/// sequence than are drafted and one.
[[nodiscard]] std::string beyond_the_machine(const SystemRow& row,
                                             const ServedCase& served,
                                             const serving::ServeConfig& config);

}  // namespace ascendsim::validation
