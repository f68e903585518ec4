// SPDX-License-Identifier: Apache-2.0
// The tiling functions of the high-level API, with the sizes of the cores that host code counts with.
#pragma once

#include "kernels/ascendc/tiling/tiling_api.h"
#include "models/numbers/half.hpp"

namespace AscendC {

inline constexpr uint32_t ONE_BLK_SIZE = 32;  // B
inline constexpr int32_t BLOCK_CUBE = 16;     // rows and columns of a fractal

}  // namespace AscendC

// Host code takes its size. The same declaration as in the kernels' headers, which may follow.
using ascendsim::half;
