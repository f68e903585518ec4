// SPDX-License-Identifier: Apache-2.0
// What scan.cpp takes by value besides its addresses.
#pragma once

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"

namespace scan {

/// Columns of a chunk, which the cube core sums with one product; also the most rows at a time.
inline constexpr int32_t side = 64;

struct Options {
    TCubeTiling product;  // (side, side) x (side, side)
    int32_t rows;
    int32_t columns;
    int32_t share;  // rows of a vector core
};

}  // namespace scan
