// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "networks/operators/operators.hpp"

namespace ascendsim::networks {

/// How windows lie on one axis.
struct WindowAxis {
    std::int64_t extent = 1;  // of the operand
    std::int64_t taps = 1;
    std::int64_t stride = 1;
    std::int64_t dilation = 1;
    std::int64_t before = 0;  // padding
    std::int64_t behind = 0;
    std::int64_t out = 1;
};

/// The windows of a pool or a convolution: attributes strides, dilations, pads, auto_pad and ceil_mode.
/// Throws Refused for those that make no sense.
[[nodiscard]] std::vector<WindowAxis> windows_of(const Operator& with,
                                                 const host::Shape& extents,
                                                 const std::vector<std::int64_t>& taps);

/// For each window, in order, and each of its taps: the element of the axes in row-major order; -1: padding.
/// `transposed`: of a transposed convolution, whose windows take what lies a stride apart.
[[nodiscard]] std::vector<std::int64_t> window_places(const std::vector<WindowAxis>& axes,
                                                      bool transposed = false);

}  // namespace ascendsim::networks
