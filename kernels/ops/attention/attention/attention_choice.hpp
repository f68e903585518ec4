// SPDX-License-Identifier: Apache-2.0
// Tiles of attention.cpp for a chip and a shape.
#pragma once

#include <algorithm>
#include <array>

#include "kernels/ops/attention/attention/attention_tiling.hpp"
#include "models/spec/chip_spec.hpp"
#include "sim/base/units.hpp"

namespace attention {

using ascendsim::ceil_div;

/// Bytes of L1 that the buffers of `t` take.
[[nodiscard]] inline std::uint64_t l1_bytes(const Tiling& t) {
    if (t.byte_queries != 0) {
        const std::uint64_t rows = ceil_div(t.base_m, byte_rows) * byte_rows;
        return t.q_buffers * rows * (t.dim + 2 * padded(t.rope_dim)) + t.p_buffers * rows * t.base_n +
               std::uint64_t{t.ring} * byte_slot(t);
    }
    const std::uint64_t height = padded(t.base_m);
    const std::uint32_t keys = std::min(padded(t.dim), depth_chunk);
    const std::uint32_t values = std::min(padded(t.value_dim), value_chunk);
    const std::uint64_t slot =
        std::uint64_t{std::min(padded(t.base_n), sub_columns)} * std::max(keys, values);
    return 2 * (t.q_buffers * height * depth(t) + t.p_buffers * height * t.base_n + t.ring * slot);
}

/// Bytes of the unified buffer for keys and values that are made of bytes: two places of these and of what is
/// made of them, halves and floats between, and two places of rotated parts.
[[nodiscard]] inline std::uint64_t dequantise_bytes(const Tiling& t) {
    return cached_elements(t) * (2 * 1 + 2 + 4 + 2 * 2ULL) +
           (t.rope_dim == 0 ? 0 : 2ULL * t.gather_rows * padded(t.rope_dim) * 2);
}

/// Bytes of the unified buffer.
[[nodiscard]] inline std::uint64_t ub_bytes(const Tiling& t) {
    const std::uint64_t dim = padded(t.value_dim);
    const std::uint64_t scores = std::uint64_t{t.score_rows} * t.base_n;
    const std::uint64_t outputs = t.output_rows * dim;
    const std::uint64_t half = half_rows(t);
    const std::uint64_t probability = t.byte_queries != 0 ? 1 : 2;
    return scores * (2 * 4 + 2 * probability + (t.masked != 0 ? 4 : 0)) + 32 + outputs * (2 * 4 + 2) +
           (t.resident != 0 ? half * dim : outputs) * 4 +
           t.score_rows * 64ULL * 4 * std::max(t.base_n / 128, 1U) +
           std::max(t.score_rows, t.output_rows) * 8ULL * 4 + (3 + 2 * t.stages) * half * 4 +
           (t.byte_queries != 0 ? scores * ((t.rope_dim != 0 ? 4 : 0) + 2) + half * 4
            : t.byte_cache != 0 ? dequantise_bytes(t)
                                : 2ULL * t.gather_rows * gathered_pitch(t) * 2);
}

/// Chooses buffer counts for L1. False if even the fewest do not fit.
[[nodiscard]] inline bool fit_l1(Tiling& t, const ascendsim::ChipSpec& chip) {
    constexpr std::array<std::array<std::uint32_t, 3>, 6> choices{
        {{2, 2, 4}, {2, 1, 4}, {1, 1, 4}, {2, 1, 3}, {1, 1, 3}, {1, 1, 2}}};
    return std::ranges::any_of(choices, [&](const auto& choice) {
        t.q_buffers = choice[0];
        t.p_buffers = choice[1];
        t.ring = choice[2];
        return l1_bytes(t) <= chip.buffers.l1;
    });
}

/// Chooses how many rows the vector cores work on at a time: as many as fit, the sum of products in UB if
/// that leaves enough for the rest, at most `most` scores. False if nothing fits.
[[nodiscard]] inline bool fit_ub(Tiling& t, const ascendsim::ChipSpec& chip, std::uint32_t most = 8192) {
    const std::uint32_t half = half_rows(t);
    const auto rows = [half](std::uint32_t elements, std::uint32_t width) {
        return std::clamp(elements / width / 8 * 8, 8U, half);
    };

    struct Try {
        std::uint32_t resident;
        std::uint32_t elements;
    };

    for (const Try attempt :
         {Try{1, most}, Try{1, 4096}, Try{0, most}, Try{0, 4096}, Try{1, 2048}, Try{0, 2048}}) {
        t.resident = attempt.resident;
        t.score_rows = rows(std::min(attempt.elements, most), t.base_n);
        t.output_rows = rows(std::min(attempt.elements, 4096U), padded(t.value_dim));
        if (ub_bytes(t) <= chip.buffers.ub) {
            return true;
        }
    }
    return false;
}

/// Rows of a tile: at most 128, what L0 holds in halves; fewer where that gives all cores work. A tile of
/// fewer rows costs more for each: keys are loaded for it all the same.
[[nodiscard]] inline std::uint32_t choose_rows(const Tiling& t, std::uint32_t cores) {
    constexpr std::uint32_t loading = 48;  // rows whose multiplication takes as long as loading a tile's keys
    std::uint32_t best = 0;
    double least = 0;
    for (const std::uint32_t most : {128U, 64U, 32U}) {
        const std::uint32_t count = ceil_div(t.rows, most);
        const std::uint32_t height = t.rows > 4 * most ? most : padded(ceil_div(t.rows, count));
        const double rounds =
            ceil_div(std::uint64_t{t.sequences} * ceil_div(t.rows, height), std::uint64_t{cores});
        const double cost = rounds * (height + loading);
        if (best == 0 || cost < 0.9 * least) {
            best = height;
            least = cost;
        }
    }
    return best;
}

/// Keys of a tile: long tiles save traffic of the output, but a core should have several to overlap cube and
/// vectors.
[[nodiscard]] inline std::uint32_t choose_keys(const Tiling& t, std::uint32_t cores, std::uint32_t most) {
    constexpr std::uint64_t enough = 8;
    const std::uint64_t tasks = std::uint64_t{t.sequences} * tiles(t) * t.splits;
    const std::uint64_t each = ceil_div(tasks, std::uint64_t{cores});
    for (std::uint32_t keys = most; keys > sub_columns; keys /= 2) {
        if (t.split_keys >= keys && each * ceil_div(t.split_keys, keys) >= enough) {
            return keys;
        }
    }
    return std::min(sub_columns, padded(t.split_keys));
}

/// Parts of the keys: as many as make the rounds of all cores shortest. A part costs a tile's worth of keys
/// more, for writing what it has and reading it again.
[[nodiscard]] inline std::uint32_t choose_splits(const Tiling& t, std::uint32_t cores) {
    const std::uint64_t tasks = std::uint64_t{t.sequences} * tiles(t);
    const std::uint32_t most = t.causal != 0 && tiles(t) > 1 ? 1 : ceil_div(t.kv_len, 2 * sub_columns);
    std::uint32_t best = 1;
    double least = 0;
    for (std::uint32_t splits = 1; splits <= std::min(most, 24U); ++splits) {
        const double rounds = ceil_div(tasks * splits, std::uint64_t{cores});
        const double keys = ceil_div(ceil_div(t.kv_len, splits), sub_columns) + (splits > 1 ? 2.0 : 0.0);
        const double cost = rounds * (keys + 0.5);
        if (splits == 1 || cost < 0.9 * least) {
            best = splits;
            least = cost;
        }
    }
    return best;
}

}  // namespace attention
