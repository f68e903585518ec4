// SPDX-License-Identifier: Apache-2.0
// Tiles of attention.cpp where each vector core asks for its products: those of the operator library's prompt
// attention (ops-transformer, prompt_flash_attention_tiling.cpp: AdjustCVTilingCVDiff, AdjustBasicBlock).
#pragma once

#include <algorithm>

#include "kernels/ops/attention/attention/attention_choice.hpp"
#include "kernels/ops/matmul/matmul/matmul_object_host.hpp"

namespace attention {

constexpr std::uint32_t few_queries = 16;  // a tile is no taller, and as wide as the buffer of scores allows

/// Rows of a tile: 128, of wide heads 64; half where each vector core would get just one.
[[nodiscard]] inline std::uint32_t request_rows(const Tiling& t, const ascendsim::ChipSpec& chip) {
    constexpr std::uint32_t wide_head = 200;
    if (t.q_len <= few_queries) {
        return few_queries;
    }
    const std::uint32_t rows = std::min(t.dim >= wide_head ? 64U : 128U, padded(t.q_len));
    const std::uint32_t vectors = chip.cores.aic * chip.cores.aiv_per_aic;
    const std::uint32_t cores_of_head = vectors % t.heads == 0 ? vectors / t.heads : 1;
    const bool one_each = cores_of_head > 1 && ceil_div(t.q_len, rows) == cores_of_head;
    return one_each ? padded(rows / 2) : rows;
}

/// Keys of a tile.
[[nodiscard]] inline std::uint32_t request_keys(const Tiling& t) {
    constexpr std::uint32_t usual = 512;
    return std::min(usual, padded(t.kv_len));
}

/// Scores in UB at a time: fewer rows of wide heads, whose outputs need the room.
[[nodiscard]] inline std::uint32_t request_scores(const Tiling& t) {
    constexpr std::uint32_t all = 16384;
    if (t.q_len <= few_queries) {
        return all;
    }
    const std::uint32_t rows = t.dim >= 128 ? 8 : t.dim >= 32 ? 16 : 32;
    return rows * 512;
}

/// Both products' tiling, each with half of L1.
[[nodiscard]] inline RequestTiling request_tiling(const Tiling& t,
                                                  ascendsim::isa::DataType type,
                                                  const ascendsim::ChipSpec& chip) {
    using namespace matmul_tiling;
    const matmul_tiling::DataType element = matmul_object::tiling_type(type);
    const auto cut = [&](std::uint32_t n, std::uint32_t k, bool transposed, std::uint32_t base_n) {
        MatmulApiTiling choice{matmul_object::platform_of(chip)};
        const auto height = static_cast<std::int32_t>(t.base_m);
        const auto width = static_cast<std::int32_t>(n);
        const auto depth = static_cast<std::int32_t>(k);
        choice.SetAType(TPosition::GM, CubeFormat::ND, element);
        choice.SetBType(TPosition::GM, CubeFormat::ND, element, transposed);
        choice.SetCType(TPosition::GM, CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT);
        choice.SetShape(height, width, depth);
        choice.SetOrgShape(height, width, depth);
        choice.SetFixSplit(std::min(height, 128), std::min(width, static_cast<std::int32_t>(base_n)));
        choice.SetBufferSpace(static_cast<std::int32_t>(chip.buffers.l1 / 2));
        TCubeTiling tiling;
        ascendsim::check(choice.GetTiling(tiling) == 0, "a product of attention has no tiling");
        return tiling;
    };
    return {.attention = t,
            .scores = cut(padded(t.base_n), t.dim, true, 256),
            .product = cut(padded(t.value_dim), padded(t.base_n), false, 128)};
}

}  // namespace attention
