// SPDX-License-Identifier: Apache-2.0
// How flash_attention.cpp cuts o = softmax(q k^T / sqrt(dim) + mask) v: the struct its host side fills and
// its kernel reads.
#pragma once

#include <cstdint>

namespace flash_attention {

/// Elements from one token, head and sequence to the next.
struct Strides {
    std::uint32_t token;
    std::uint32_t head;
    std::uint64_t batch;

    [[nodiscard]] constexpr std::uint64_t at(std::uint64_t b, std::uint64_t h, std::uint64_t row) const {
        return b * batch + h * head + row * token;
    }
};

/// Sizes in elements. q, o: [batch, q_len, heads, dim] or [batch, heads, q_len, dim]; k, v alike with kv_len
/// and kv_heads.
struct Tiling {
    std::uint32_t batch;
    std::uint32_t q_len;
    std::uint32_t kv_len;
    std::uint32_t heads;
    std::uint32_t kv_heads;
    std::uint32_t dim;
    std::uint32_t base_m;     // queries of a tile
    std::uint32_t base_n;     // keys of a tile
    std::uint32_t stages;     // tiles between the scores of one and its product with v, 1 to 3; 1: in turns
    std::uint32_t causal;     // 1: query i sees keys up to i + kv_len - q_len
    std::uint32_t masked;     // 1: a mask of [q_len, kv_len] fp32 is added to the scores
    std::uint32_t s_buffers;  // of scores in the unified buffer
    std::uint32_t p_buffers;  // of probabilities
    float scale;              // of the scores: 1 / sqrt(dim)
    Strides q;                // of q and o
    Strides kv;               // of k and v
};

/// Width of the causal mask's table [base_m, ...]: any border between a tile's queries and keys is a window
/// of it.
constexpr std::uint32_t triangle_pitch(const Tiling& t) {
    return t.base_m + 2 * t.base_n;
}

constexpr std::uint32_t padded(std::uint32_t value) {
    return (value + 15) / 16 * 16;
}

/// Bytes of one stage of a core's workspace: scores and probabilities of a tile, and its product with v.
constexpr std::uint64_t stage_bytes(const Tiling& t) {
    return std::uint64_t{t.base_m} * t.base_n * (4 + 2) + std::uint64_t{t.base_m} * padded(t.dim) * 4;
}

}  // namespace flash_attention
