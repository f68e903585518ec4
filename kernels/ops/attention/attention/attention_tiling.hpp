// SPDX-License-Identifier: Apache-2.0
// How attention.cpp cuts o = softmax((q k^T + q_rope k_rope^T) * scale + mask) v: the struct its host side
// fills and its kernel reads, and where things lie.
#pragma once

#include <cstdint>

#include "kernels/ascendc/kernel_tiling/cube_tiling.h"

namespace attention {

constexpr std::uint32_t sub_columns = 128;  // keys of one multiplication; several make a tile of keys
constexpr std::uint32_t value_chunk = 128;  // columns of v of one multiplication
constexpr std::uint32_t depth_chunk = 256;  // columns of q and k of one copy
constexpr std::uint32_t depth_piece = 128;  // and of one multiplication

constexpr std::uint32_t padded(std::uint32_t value) {
    return (value + 15) / 16 * 16;
}

constexpr std::uint32_t parts(std::uint32_t value, std::uint32_t unit) {
    return (value + unit - 1) / unit;
}

/// A sequence is what a tile's rows come from: the queries of one head, or of all heads that share a key
/// head.
struct Tiling {
    std::uint32_t batch;
    std::uint32_t q_len;
    std::uint32_t kv_len;
    std::uint32_t heads;
    std::uint32_t kv_heads;
    std::uint32_t dim;        // of q, k
    std::uint32_t rope_dim;   // of q_rope, k_rope; 0: none
    std::uint32_t value_dim;  // of v, o
    std::uint32_t by_head;    // 1: [batch, heads, length, dim]; 0: [batch, length, heads, dim]
    std::uint32_t merged;     // query heads of a sequence: heads / kv_heads, or 1
    std::uint32_t rows;       // of a sequence: q_len * merged
    std::uint32_t sequences;  // batch * heads / merged
    std::uint32_t base_m;     // rows of a tile
    std::uint32_t base_n;     // keys of a tile, a multiple of sub_columns if more than that
    std::uint32_t stages;     // tiles between the scores of one and its product with v, plus 1
    std::uint32_t
        splits;  // parts of the keys, each worked through by itself and combined at the end; 1: none
    std::uint32_t split_keys;     // of a part
    std::uint32_t causal;         // 1: query i sees keys up to i + kv_len - q_len
    std::uint32_t masked;         // 1: a mask [q_len, kv_len] fp32 is added; 2: one for each batch
    std::uint32_t longest_first;  // 1: tiles that see most keys come first, of all sequences
    std::uint32_t block_keys;     // of a block of a paged cache; 0: keys lie one after the other
    std::uint32_t table_pitch;    // entries of the block table for a batch
    std::uint32_t pool_blocks;    // of the paged cache
    std::uint32_t
        gather_rows;  // keys that a vector core gathers at a time; 0: the cube core copies all keys itself
    std::uint32_t shared_values;  // 1: v is the first value_dim columns of k
    std::uint32_t ring;           // places in L1 for chunks of k and v
    std::uint32_t q_buffers;      // in L1
    std::uint32_t p_buffers;
    std::uint32_t score_rows;   // rows of a tile that a vector core works on at a time
    std::uint32_t output_rows;  // the same for the output
    std::uint32_t whole_tiles;  // 1: each vector core has tiles of its own and asks for their products
    std::uint32_t resident;     // 1: the sum of products stays in UB; 0: in the workspace
    // Block-sparse: a tile of queries sees the first `sparse_first` keys, and of the others those of the tile
    // of keys at its own place and of as many tiles before it (and behind it, unless it is causal) as
    // sparse_window says.
    std::uint32_t sparse;         // 1: so
    std::uint32_t sparse_window;  // tiles of keys
    std::uint32_t sparse_first;   // keys, whole tiles
    std::uint32_t byte_cache;     // 1: k and v are int8, and vector cores make the type of q of them
    std::uint32_t byte_queries;   // 1: q is int8, too, with a factor for each row, and bytes are multiplied
    float scale;
    float key_scale;  // of the bytes of k
    float value_scale;
};

/// Where vector cores ask for products: also how the cube core cuts scores and products.
struct RequestTiling {
    Tiling attention;
    TCubeTiling scores;   // base_m x base_n, of dim columns
    TCubeTiling product;  // base_m x value_dim, of base_n columns
};

[[nodiscard]] constexpr std::uint32_t tiles(const Tiling& t) {
    return parts(t.rows, t.base_m);
}

/// Keys that a block-sparse tile of queries sees: those before `first`, and those from `from` on before
/// `until`.
struct SparseKeys {
    std::uint32_t first;
    std::uint32_t from;
    std::uint32_t until;
};

/// `query` is the first of the tile, of one head.
[[nodiscard]] constexpr SparseKeys sparse_keys(const Tiling& t, std::uint32_t query) {
    const std::uint32_t place = query + (t.kv_len > t.q_len ? t.kv_len - t.q_len : 0);
    const std::uint32_t tile = place / t.base_n;
    const std::uint32_t from = tile > t.sparse_window ? (tile - t.sparse_window) * t.base_n : 0;
    const std::uint32_t behind = t.causal != 0 ? 0 : t.sparse_window;
    // A tile of queries may begin and end in two tiles of keys.
    const std::uint32_t end = ((place + t.base_m - 1) / t.base_n + behind + 1) * t.base_n;
    const std::uint32_t first = t.sparse_first < t.kv_len ? t.sparse_first : t.kv_len;
    const std::uint32_t until = end < t.kv_len ? end : t.kv_len;
    return {first, from > first ? (from < until ? from : until) : first, until > first ? until : first};
}

/// Columns of q and k as they lie in L1: both parts, each padded.
[[nodiscard]] constexpr std::uint32_t depth(const Tiling& t) {
    return padded(t.dim) + padded(t.rope_dim);
}

/// Rows of a tile that one vector core takes, in whole blocks of row values.
[[nodiscard]] constexpr std::uint32_t half_rows(const Tiling& t) {
    return parts(t.whole_tiles != 0 ? t.base_m : parts(t.base_m, 2), 8) * 8;
}

constexpr float byte_steps = 127;        // of a probability in a byte
constexpr std::uint32_t byte_rows = 32;  // rows of bytes in L1 come in so many

/// Keys of a tile as scores and probabilities lie: whole blocks of 16, of bytes of 32.
[[nodiscard]] constexpr std::uint32_t wide_keys(const Tiling& t, std::uint32_t keys) {
    return t.byte_queries != 0 ? (keys + byte_rows - 1) / byte_rows * byte_rows : padded(keys);
}

/// Bytes of a place of the ring where bytes are multiplied: of keys, values, or rotated keys of two bytes.
[[nodiscard]] constexpr std::uint32_t byte_slot(const Tiling& t) {
    const std::uint32_t columns = t.dim < depth_chunk ? t.dim : depth_chunk;
    const std::uint32_t rotated = 2 * padded(t.rope_dim);
    return sub_columns * (columns > rotated ? columns : rotated);
}

/// Elements from one value to the next of a head.
[[nodiscard]] constexpr std::uint32_t value_pitch(const Tiling& t) {
    return t.shared_values != 0 ? t.dim : t.value_dim;
}

/// Elements of a gathered key with all that belongs to it, value included.
[[nodiscard]] constexpr std::uint32_t gathered_columns(const Tiling& t) {
    return t.dim + t.rope_dim + (t.shared_values != 0 ? 0 : t.value_dim);
}

/// The same in UB, each part of it in whole blocks.
[[nodiscard]] constexpr std::uint32_t gathered_pitch(const Tiling& t) {
    return padded(t.dim) + padded(t.rope_dim) + (t.shared_values != 0 ? 0 : padded(t.value_dim));
}

/// Elements of the keys, or values, of a cache of bytes that a vector core works on at a time.
[[nodiscard]] constexpr std::uint32_t cached_elements(const Tiling& t) {
    return t.gather_rows * (t.dim > t.value_dim ? t.dim : t.value_dim);
}

// A core's workspace: for each stage scores and probabilities of a tile and its product with v (of bytes,
// then scores of rotated parts), then the sums of products of its two vector cores if these do not stay in
// UB, then places of gathered keys.
constexpr std::uint32_t gather_places = 4;

[[nodiscard]] constexpr std::uint64_t scores_bytes(const Tiling& t) {
    return std::uint64_t{t.base_m} * t.base_n * 4;
}

[[nodiscard]] constexpr std::uint64_t product_bytes(const Tiling& t) {
    return std::uint64_t{t.base_m} * padded(t.value_dim) * 4;
}

[[nodiscard]] constexpr std::uint64_t stage_bytes(const Tiling& t) {
    const bool rotated_apart = t.byte_queries != 0 && t.rope_dim != 0;
    return scores_bytes(t) * (rotated_apart ? 2 : 1) + scores_bytes(t) / 2 + product_bytes(t);
}

/// A place: (base_n, dim) of k, (base_n, rope_dim) of k_rope and (base_n, value_dim) of v if it has its own.
[[nodiscard]] constexpr std::uint64_t gather_bytes(const Tiling& t) {
    return padded(t.base_n) * std::uint64_t{gathered_columns(t)} * 2;
}

[[nodiscard]] constexpr std::uint64_t group_bytes(const Tiling& t) {
    return t.stages * stage_bytes(t) +
           (t.resident != 0 ? 0 : 2 * half_rows(t) * std::uint64_t{padded(t.value_dim)} * 4) +
           (t.gather_rows == 0 ? 0 : gather_places * gather_bytes(t));
}

// Results of a part of the keys: row maxima and sums, then the output that is not yet divided by its sum.
[[nodiscard]] constexpr std::uint64_t partial_rows(const Tiling& t) {
    return std::uint64_t{tiles(t)} * (2 * half_rows(t));
}

[[nodiscard]] constexpr std::uint64_t partial_bytes(const Tiling& t) {
    return partial_rows(t) * (2 + padded(t.value_dim)) * 4;
}

[[nodiscard]] constexpr std::uint64_t workspace_bytes(const Tiling& t, std::uint32_t groups) {
    const std::uint64_t partials = t.splits > 1 ? partial_bytes(t) * t.splits * t.sequences : 0;
    return groups * group_bytes(t) + partials;
}

}  // namespace attention
