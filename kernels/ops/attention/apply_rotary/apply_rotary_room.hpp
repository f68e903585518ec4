// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/data_type.hpp"

namespace ascendsim::host {

/// Bytes of the unified buffer that a token with so many heads of queries and keys takes, `buffers` of each
/// operand: its heads come in, have their halves swapped, and are multiplied twice, bfloat16 in floats
/// (ops-transformer, posembedding/apply_rotary_pos_emb, op_host/apply_rotary_pos_emb_tiling.cpp).
[[nodiscard]] constexpr std::uint64_t apply_rotary_bytes(std::uint64_t heads,
                                                         std::uint64_t buffers,
                                                         isa::DataType type) {
    constexpr std::uint64_t width = 128;  // elements of a head
    const bool widens = type == isa::DataType::bfloat16;
    const std::uint64_t size = isa::bits(type) / 8;
    const std::uint64_t wide = widens ? 4 : size;
    const std::uint64_t angles = 2 * width * (size * buffers + (widens ? wide : 0));
    return heads * width * wide * (buffers + 3) + angles;
}

/// True if the kernel takes so many heads, whatever the number of tokens; `unified` is the buffer's bytes.
[[nodiscard]] constexpr bool apply_rotary_takes(std::uint64_t queries,
                                                std::uint64_t keys,
                                                isa::DataType type,
                                                std::uint64_t unified) {
    constexpr std::uint64_t most_heads = 120;  // of queries, and of keys
    return (type == isa::DataType::half || type == isa::DataType::bfloat16) && queries <= most_heads &&
           keys <= most_heads && apply_rotary_bytes(queries + keys, 2, type) <= unified;
}

}  // namespace ascendsim::host
