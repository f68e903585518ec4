// SPDX-License-Identifier: Apache-2.0
// Sorted elements are 8 bytes: a score (half in the first two bytes, or float) and a uint32 index in the last
// four.
#pragma once

#include <array>

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

/// Sorts every 32 scores in falling order, each with its index; equal scores keep their order.
void vector_sort32(
    std::uint32_t dst, const VectorOperand& scores, std::uint32_t indices, std::uint32_t repeats, Site site);

/// Merges up to four sorted queues into one.
struct MergeCall {
    std::uint32_t dst = 0;                   // B in UB
    std::array<std::uint32_t, 4> sources{};  // B in UB
    std::array<std::uint16_t, 4> lengths{};  // elements
    std::uint16_t valid = 0;                 // bit i: queue i takes part
    bool stop_when_one_ends = false;
    std::uint32_t repeats = 1;  // further groups of four, behind each other
    DataType type = DataType::float32;
};

void vector_merge(const MergeCall& call, Site site);
/// How many elements of each queue the last merge consumed.
[[nodiscard]] std::array<std::uint16_t, 4> merged_counts();

/// Splits sorted elements into scores and indices, 32 per repeat.
void vector_extract(const VectorOperand& scores,
                    std::uint32_t indices,
                    std::uint32_t sorted,
                    std::uint32_t repeats,
                    Site site);

/// 16 rows of one 32-byte block each, transposed: TransDataTo5HD. Repeats advance by the strides (32-byte
/// blocks).
struct TransposeCall {
    std::array<std::uint32_t, 16> dst{};  // B in UB
    std::array<std::uint32_t, 16> src{};
    DataType type = DataType::half;
    std::uint32_t repeats = 1;
    std::uint32_t dst_stride = 0;
    std::uint32_t src_stride = 0;
    bool dst_high_half = false;  // 8-bit types use half a block
    bool src_high_half = false;
};

void vector_transpose_rows(const TransposeCall& call, Site site);

}  // namespace ascendsim::isa
