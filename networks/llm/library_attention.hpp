// SPDX-License-Identifier: Apache-2.0
// How the operator library's attention of one query shares its work, as its tiling has it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "networks/llm/deployment.hpp"

namespace ascendsim::networks::llm {

/// True if the library's attention of one query a sequence gives each vector core sequences and heads of keys
/// of its own, which ask the cube core for each product by a message; else cube cores have them and run
/// ahead. FusedInferAttentionScore (ops-transformer, incre_flash_attention_tiling.cpp: EnableCubeViewMM): it
/// does so up to 128 tasks, sequences by heads of keys by parts of 2048 keys, and wherever heads are not 128
/// wide.
[[nodiscard]] inline bool library_asks_for_products(std::uint64_t tasks,
                                                    std::uint64_t keys,
                                                    std::uint64_t width) {
    constexpr std::uint64_t most_tasks = 128;
    constexpr std::uint64_t part = 2048;
    constexpr std::uint64_t only_width = 128;
    return width != only_width || tasks * ceiling(keys, part) <= most_tasks;
}

/// Parts of a sequence's keys that the library's attention of one query over a paged cache takes apart
/// (FusedInferAttentionScore; ops-transformer, incre_flash_attention_tiling.cpp: IsFlashDecode, SplitBNS): so
/// that its sequences and heads of keys reach all cores, if they are at most half as many and keys are long.
/// Otherwise each core has whole sequences.
[[nodiscard]] inline std::int64_t library_splits(std::uint64_t tasks,
                                                 std::uint64_t heads_of_a_key,
                                                 std::uint64_t keys,
                                                 std::uint64_t cores) {
    constexpr std::uint64_t shortest = 1024;
    constexpr std::uint64_t shortest_shared = 2048;  // where queries share keys
    constexpr std::uint64_t least_part = 512;
    if (2 * tasks > cores || keys <= shortest || (heads_of_a_key > 1 && keys < shortest_shared)) {
        return 1;
    }
    return static_cast<std::int64_t>(std::max<std::uint64_t>(1, std::min(cores / tasks, keys / least_part)));
}

}  // namespace ascendsim::networks::llm
