// SPDX-License-Identifier: Apache-2.0
// How sparse_matmul.cpp cuts C = A B * scale with weights of which 2 in 4 are kept: the struct its host side
// fills and its kernel reads, and how weights lie.
//
//   B: kept weights as fractals (k / 64, n / 16, 16 columns, 32 kept) and their indices (.., 16, 8 bytes of
//   four)
#pragma once

#include <cstdint>

namespace sparse_weights {

constexpr std::uint32_t block_depth = 64;  // of k, of which 32 are kept: a fractal
constexpr std::uint32_t fractal_bytes = 512;
constexpr std::uint32_t index_bytes = 128;  // of a fractal
constexpr std::uint32_t columns_of_fractal = 16;

struct Tiling {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    std::uint32_t base_m;
    std::uint32_t base_n;
    std::uint32_t chunk;    // of k in L1 at a time
    std::uint32_t step;     // of k in L0 at a time
    std::uint32_t results;  // tiles that L0C holds
    float scale;
};

}  // namespace sparse_weights
