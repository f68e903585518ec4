// SPDX-License-Identifier: Apache-2.0
// What grouped_matmul_silu.cpp takes by value besides its addresses.
#pragma once

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"

namespace grouped_matmul_silu {

struct Options {
    TCubeTiling product;  // of one tile: up to baseM rows, all columns
    int32_t groups;
    int32_t cores;  // vector cores that share the tiles
};

}  // namespace grouped_matmul_silu
