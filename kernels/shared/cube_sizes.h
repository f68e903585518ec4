// SPDX-License-Identifier: Apache-2.0
// Sizes of the cube's operands, and the arithmetic of cutting matrices into them.
#pragma once

#include "kernel_operator.h"

namespace cube {

constexpr uint32_t fractal = 16;           // rows of a fractal
constexpr uint32_t most_repeats = 255;     // fractals of a load
constexpr uint32_t longest_pitch = 65535;  // elements a copy's row pitch can say

constexpr uint32_t CeilTo(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit * unit;
}

constexpr uint32_t Parts(uint32_t value, uint32_t unit) {
    return (value + unit - 1) / unit;
}

constexpr uint32_t Smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

}  // namespace cube
