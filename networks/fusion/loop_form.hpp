// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "networks/operators/operators.hpp"
#include "networks/run/network_plan.hpp"

namespace ascendsim::networks {

/// Puts loops together to one. What its functions return counts the values under construction.
class JoinedLoop {
public:
    std::size_t input(const loops::Value& value);
    std::size_t number(const loops::Value& value, double number);
    /// The outputs of `loop`, of which `inputs` are the operands. An operand in another shape is reshaped.
    std::vector<std::size_t> append(const loops::Loop& loop, const std::vector<std::size_t>& inputs);
    [[nodiscard]] loops::Loop finish(const std::vector<std::size_t>& outputs) const;

private:
    struct Made {
        std::optional<std::size_t> input;  // else a step
        std::size_t step = 0;
        loops::Value value;
    };

    std::size_t add(loops::Step step);

    std::vector<loops::Value> inputs_;
    std::vector<loops::Step> steps_;
    std::vector<Made> values_;
};

/// The whole node as one loop, which makes its results in order: as its family says, or of its tasks, where
/// each of them is a loop. Nothing if it is none.
[[nodiscard]] std::optional<LoopForm> loop_form(const PlannedNode& node);

}  // namespace ascendsim::networks
