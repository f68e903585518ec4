// SPDX-License-Identifier: Apache-2.0
// What the host side of matmul_all_reduce.cpp tells its kernel.
#pragma once

#include <cstdint>

#include "kernels/ascendc/kernel_tiling/kernel_tiling.h"

namespace matmul_all_reduce {

struct Tiling {
    Mc2InitTiling server;
    Mc2CcTiling all_reduce;
    TCubeTiling part;  // of the rows of one turn
    uint32_t turns;    // of so many rows
    uint32_t rest;     // rows of one turn more; 0: there is none
    uint32_t communicates;
};

}  // namespace matmul_all_reduce
