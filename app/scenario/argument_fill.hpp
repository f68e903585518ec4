// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/plan/buffer.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {

/// Reads what fills a tensor: "ones", "uniform", { normal = [0, 1] }, { integers = [0, 9] } and others.
/// Throws UserError that names them.
[[nodiscard]] host::Fill read_fill(const Node& node);

}  // namespace ascendsim::scenario
