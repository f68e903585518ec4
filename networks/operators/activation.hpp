// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {

/// The activation of a knob's word, as in "relu". Throws Refused for another.
[[nodiscard]] Activation activation_named(std::string_view word, std::vector<double> constants);

/// The word of an activation that cube kernels take; nothing for other operators.
[[nodiscard]] std::optional<std::string> activation_word(loops::Op op);

/// What a pattern has made part of a node, by its attributes `activation`, `low` and `high`.
[[nodiscard]] Activation activation_in(const Node& node);

/// Such attributes, beside those that a node has.
void put_activation(Node& node, const Activation& activation);

/// A bias and an activation as knobs of a cube kernel.
void add_finish(Task& task, const Finish& finish);

/// The activation by a kernel of its own.
[[nodiscard]] Part activated(Steps& steps, const Part& part, const Activation& activation);

}  // namespace ascendsim::networks
