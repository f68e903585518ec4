// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

inline constexpr double largest_float16 = 65504;

/// An element of a small constant that float16 makes infinite, if there is one. Of large constants, which are
/// weights, only the type is looked at: theirs are near 0.
[[nodiscard]] std::optional<double> beyond_half(const Tensor& tensor);

/// An operand with a bound of the magnitudes of its elements.
struct Bounded {
    const Tensor* tensor = nullptr;  // null: left out
    double most = 0;                 // infinite where none is known
};

/// A bound of the magnitudes of what the node makes; infinite where none is known. What is infinite or no
/// number among its operands is so in float16, too, and not looked at.
[[nodiscard]] double most_made(const Node& node, const std::vector<Bounded>& operands);

}  // namespace ascendsim::networks
