// SPDX-License-Identifier: Apache-2.0
// Operators that move, choose and order elements.
#include "scenarios/validation/operator_rows.hpp"

namespace ascendsim::validation {

bool is_movement(const Row& row) {
    return row.kernel_has({"transpose", "permute", "gather", "scatter", "slice",   "topk",   "sort",
                           "embedding", "index",   "moe",    "argmax",  "argmin",  "concat", "pad",
                           "broadcast", "tile",    "expand", "routing", "nonzero", "unique"});
}

std::optional<Adapted> movement_case(const Row& row, const Context& /*context*/) {
    if (!is_movement(row)) {
        return std::nullopt;
    }
    return WhyNot{"no kernel of ours moves elements as " + row.measurement->kernel + " does"};
}

}  // namespace ascendsim::validation
