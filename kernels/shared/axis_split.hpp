// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/plan/knob.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::host {

/// A row-major tensor as seen from one of its axes: (outer, length, inner) elements, length being the axis
/// itself.
struct AxisSplit {
    std::uint64_t outer = 1;
    std::uint64_t length = 1;
    std::uint64_t inner = 1;
};

/// Splits `shape` at `axis`, which must be one of its axes.
[[nodiscard]] inline AxisSplit split_at(const Shape& shape, std::size_t axis) {
    AxisSplit split{.length = shape[axis]};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        split.outer *= i < axis ? shape[i] : 1;
        split.inner *= i > axis ? shape[i] : 1;
    }
    return split;
}

/// The knob "shape" split at the knob "axis", for kernels that take columns along it side by side. Throws the
/// error of "axis" for the last axis, and on chips whose copies do not pad.
[[nodiscard]] inline AxisSplit columns_along(const Knobs& knobs, const ChipSpec& chip) {
    const Shape& shape = knobs.shape("shape");
    const std::size_t axis = knobs.count("axis");
    if (axis + 1 >= shape.size() || chip.arch != "2201") {
        throw knobs.error("axis", "must be one before the last, on a chip whose copies pad");
    }
    return split_at(shape, axis);
}

}  // namespace ascendsim::host
