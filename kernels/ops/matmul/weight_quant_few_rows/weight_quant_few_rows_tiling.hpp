// SPDX-License-Identifier: Apache-2.0
// How weight_quant_few_rows.cpp cuts its product: the struct its host side fills and its kernel reads, and
// its workspace.
#pragma once

#include <cstdint>

namespace few_rows {

/// Sizes in elements. C[m, n] = A[m, k] x ((W[k, n] + offset[n]) * scale[n]), W of int8.
struct Tiling {
    std::uint32_t m;
    std::uint32_t n;
    std::uint32_t k;
    std::uint32_t strip;       // columns of a core group, a multiple of base_n
    std::uint32_t strips;      // core groups with columns
    std::uint32_t l1_buffers;  // chunks of W in L1, 1 or 2
};

constexpr std::uint32_t most_rows = 64;
constexpr std::uint32_t most_depth = 12288;  // of a row of A, which UB holds in several forms
constexpr std::uint32_t base_n = 256;
constexpr std::uint32_t base_k = 128;   // depth of one Mmad
constexpr std::uint32_t chunk_k = 512;  // of W in L1
constexpr std::uint32_t row_values =
    16;  // floats kept of a row of A: its largest magnitude and its sum, each over a block

// Flags between cube and vector cores: A's parts are in the workspace; the sums are.
constexpr std::uint16_t parts_flag = 0;
constexpr std::uint16_t sums_flag = 1;

// A value of A over its row's largest is first_step rounded steps, and what is left of it second_step.
constexpr float first_step = 127.499F;
constexpr float second_step = 2 * first_step * first_step;

// The workspace: both parts of A, the rows' values, the sums of both parts.
constexpr std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + 511) / 512 * 512;
}

constexpr std::uint64_t values_at(const Tiling& t) {
    return aligned(std::uint64_t{2} * t.m * t.k);
}

constexpr std::uint64_t sums_at(const Tiling& t) {
    return values_at(t) + aligned(std::uint64_t{t.m} * row_values * 4);
}

constexpr std::uint64_t workspace_bytes(const Tiling& t) {
    return sums_at(t) + std::uint64_t{2} * t.m * t.n * 4;
}

}  // namespace few_rows
