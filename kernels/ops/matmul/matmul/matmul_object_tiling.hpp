// SPDX-License-Identifier: Apache-2.0
// What matmul_object.cpp takes by value besides its addresses.
#pragma once

#include <cstdint>

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"

namespace matmul_object {

enum Quantise : std::uint8_t { quantise_none, quantise_scalar, quantise_vector };

struct Options {
    TCubeTiling tiling;
    std::uint64_t scale;       // packed as SetQuantScalar takes it
    std::uint8_t transpose_a;  // A is stored as [k, m]
    std::uint8_t transpose_b;  // B is stored as [n, k]
    std::uint8_t mdl;          // the MDL template instead of Norm
    std::uint8_t iterate;      // Iterate and GetTensorC instead of IterateAll
    std::uint8_t quantise;
};

}  // namespace matmul_object
