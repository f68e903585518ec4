// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "kernels/plan/knob.hpp"
#include "kernels/plan/plan.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::host {

/// The knob "dtype"; throws its error for bfloat16 on a chip whose vector unit has none.
[[nodiscard]] inline isa::DataType checked_float_type(const Knobs& knobs, const ChipSpec& chip) {
    const isa::DataType type = knobs.type("dtype");
    if (type == isa::DataType::bfloat16 && !chip.cores.split) {
        throw knobs.error("dtype", "the vector unit of " + chip.name + " has no bfloat16");
    }
    return type;
}

/// The tolerance of a result computed in float and rounded to `type` once. A value next to a rounding
/// boundary may fall to either side: one step of the type, plus `absolute` for the float arithmetic itself.
[[nodiscard]] inline Tolerance rounded_once(std::string output, isa::DataType type, double absolute) {
    const double step = type == isa::DataType::half       ? 0x1p-10
                        : type == isa::DataType::bfloat16 ? 0x1p-7
                                                          : 4e-6;  // a few roundings and elementary functions
    return {.output = std::move(output), .absolute = absolute, .relative = step};
}

}  // namespace ascendsim::host
