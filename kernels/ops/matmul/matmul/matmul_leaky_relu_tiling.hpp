// SPDX-License-Identifier: Apache-2.0
// What matmul_leaky_relu.cpp takes by value besides its addresses.
#pragma once

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"

namespace matmul_leaky_relu {

struct Options {
    TCubeTiling first;   // P = A x B + bias
    TCubeTiling second;  // C = LeakyReLU(P) x W, if chained
    float slope;         // of negative values
};

}  // namespace matmul_leaky_relu
