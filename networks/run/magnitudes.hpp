// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

inline constexpr double largest_float16 = 65504;

/// An element of a small constant that float16 makes infinite, if there is one. Of large constants, which are
/// weights, only the type is looked at: theirs are near 0.
[[nodiscard]] std::optional<double> beyond_half(const Tensor& tensor);

/// Between which numbers the elements of a tensor lie; without bounds where none are known.
struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();

    [[nodiscard]] double most() const { return std::max(std::abs(low), std::abs(high)); }

    /// The range with its ends moved into the other one.
    [[nodiscard]] Range within(const Range& other) const {
        return {std::clamp(low, other.low, other.high), std::clamp(high, other.low, other.high)};
    }

    /// The range of what lies in either.
    [[nodiscard]] Range with(const Range& other) const {
        return {std::min(low, other.low), std::max(high, other.high)};
    }

    friend bool operator==(const Range&, const Range&) = default;
};

/// An operand with what is known of its elements.
struct Ranged {
    const Tensor* tensor = nullptr;  // null: left out
    Range range{};
    bool flags = false;  // each is 0 or 1
};

/// What the tensor's type can hold and, if its elements are known, where they lie. What is infinite or no
/// number is so in float16, too, and not looked at.
[[nodiscard]] Range range_of(const Tensor& tensor);

/// The range of one of the node's results. What is infinite or no number among its operands is not looked at.
[[nodiscard]] Range range_made(const Node& node, const std::vector<Ranged>& operands, std::size_t result = 0);

/// True if each element of the tensor is 0 or 1: a flag, or known.
[[nodiscard]] bool holds_flags(const Tensor& tensor);

/// True if each element of the node's first result is 0 or 1, as its operands' are.
[[nodiscard]] bool makes_flags(const Node& node, const std::vector<Ranged>& operands);

}  // namespace ascendsim::networks
