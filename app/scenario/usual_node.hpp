// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/spec/chip_spec.hpp"

namespace ascendsim::scenario {

/// The server that a chip usually stands in, of models/nodes.
[[nodiscard]] std::string usual_node(const ChipSpec& chip);

}  // namespace ascendsim::scenario
