// SPDX-License-Identifier: Apache-2.0
// How grouped_matmul_gelu.cpp cuts its products: the struct its host side fills and its kernel reads.
#pragma once

#include <cstdint>

namespace grouped_gelu {

/// Sizes in elements. Rows of A and C of all groups follow each other; each group has a B and a scale per
/// column.
struct Tiling {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    std::uint32_t groups;
    std::uint32_t slots;           // blocks of sums of a core group in the workspace
    std::uint32_t library_cycles;  // scalar cycles spent in each step of the cube for a template library
};

// A tile of C is a core group's work at a time: its rows of A stay in L1 while blocks of columns pass.
constexpr std::uint32_t base_m = 128;
constexpr std::uint32_t base_n = 256;
constexpr std::uint32_t tile_n = 1024;
constexpr std::uint32_t base_k = 128;   // depth of one Mmad
constexpr std::uint32_t chunk_k = 512;  // of B in L1
constexpr std::uint32_t most_k = 1024;  // of A in L1
constexpr std::uint32_t part_rows =
    24;  // rows of a block that a vector core works on at a time: what UB holds

/// Bytes of one core group's workspace.
constexpr std::uint64_t workspace_bytes(const Tiling& t) {
    return std::uint64_t{t.slots} * base_m * base_n * 4;
}

}  // namespace grouped_gelu
