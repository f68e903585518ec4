// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/spec/vector_costs.hpp"

namespace ascendsim::isa {

/// What a vector instruction costs, by its name in chip files: "vector.exp" has the cost `exp`.
struct NamedVectorCost {
    std::string_view name;
    const VectorCost VectorSpec::*cost = nullptr;
};

/// The cost of the vector instruction with that name ("vexp"); none for one of another unit. Conversions with
/// a 64-bit side cost `cast_b64` instead of the `cast` that is given here.
[[nodiscard]] std::optional<NamedVectorCost> vector_cost_of(std::string_view instruction);

/// How many tensors as large as its result the vector instruction with that name reads from the unified
/// buffer: 2 of "vadd", 0 of "vector_dup". None where a tensor may have another type or size (conversions,
/// reductions, accumulations), and of instructions of other units.
[[nodiscard]] std::optional<std::uint32_t> tensors_read(std::string_view instruction);

}  // namespace ascendsim::isa
