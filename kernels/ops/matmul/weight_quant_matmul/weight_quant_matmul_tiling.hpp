// SPDX-License-Identifier: Apache-2.0
// How weight_quant_matmul.cpp cuts its product: the struct its host side fills and its kernel reads.
#pragma once

#include <cstdint>

namespace weight_quant {

/// Sizes in elements. C[m, n] = A[m, k] x ((W[k, n] + offset[n]) * scale[n]), W of int8.
struct Tiling {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    std::uint32_t base_m;  // rows of a tile of C, a multiple of 16
    std::uint32_t base_n;  // columns of a tile, a multiple of 32
    std::uint32_t depth;   // rows of W that are widened at a time, a multiple of 32
    std::uint32_t slots;   // widened pieces of a core group in the workspace
};

constexpr std::uint32_t step_k = 64;  // depth of one Mmad

/// Bytes of one core group's workspace.
constexpr std::uint64_t workspace_bytes(const Tiling& t) {
    return std::uint64_t{t.slots} * t.depth * t.base_n * 2;
}

}  // namespace weight_quant
