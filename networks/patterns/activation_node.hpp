// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "networks/operators/activation.hpp"
#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {

/// The activation that a node computes of its first operand; nothing if it is none. Throws NoMatch for one
/// that `kernel` does not have, or whose bounds are not known.
[[nodiscard]] std::optional<Activation> activation_of(const PatternView& view,
                                                      std::size_t index,
                                                      std::string_view kernel);

/// True for any operator of one operand that networks put behind products and convolutions.
[[nodiscard]] bool is_activation(const Node& node);

}  // namespace ascendsim::networks
