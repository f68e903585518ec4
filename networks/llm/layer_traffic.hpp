// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace ascendsim::networks::llm {

/// Bytes that a layer reads as weights, and writes for each row. Approximate for attention on latent
/// keys, counted as if each head had keys of its own, and for experts, counted as those that one token
/// chooses.
struct LayerTraffic {
    std::uint64_t weights = 0;
    std::uint64_t written_of_row = 0;

    /// Of the lines in L2, one in so many is dirty when a kernel of a step of `rows` tokens starts:
    /// weights and rows have all passed through it, and each row that was written was read, too. A power
    /// of two, so that steps that differ little share their kernels' times.
    [[nodiscard]] std::uint64_t lines_a_dirty_one(std::uint64_t rows) const {
        // One dirty line in 256 adds at most 0.4 % to what HBM moves for a kernel that refills L2: below
        // that, steps count as clean and share their kernels' times.
        constexpr std::uint64_t hardly_any = 256;
        constexpr std::uint64_t all_clean = std::uint64_t{1} << 30;
        const std::uint64_t lines = 2 + weights / std::max<std::uint64_t>(1, rows * written_of_row);
        return lines > hardly_any ? all_clean : std::bit_floor(lines);
    }
};

}  // namespace ascendsim::networks::llm
