// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "models/port/pipe.hpp"

namespace ascendsim::sanitize {

/// What lies in bytes that nobody has written: on the chip anything. Here a pattern of the seed and the place
/// alone, so that two runs with different seeds differ in exactly those bytes.
///
/// Seed 0 gives NaN in half, bfloat16 and float, and large numbers as integers; every other seed gives finite
/// numbers of both signs: 2^-7 to 2^9 in half, 2^-63 to 2^65 in bfloat16 and float.
///
/// Comparisons may say the same of two such patterns. So three more seeds give the same everywhere: a large
/// number, 65504 in half and 2^121 or so in bfloat16 and float, its negative, and zero.
struct Poison {
    static constexpr std::uint64_t largest = ~std::uint64_t{0};
    static constexpr std::uint64_t least = ~std::uint64_t{1};
    static constexpr std::uint64_t zero = ~std::uint64_t{2};

    /// Bytes that have the pattern of another seed.
    struct Area {
        Memory memory = Memory::ub;
        std::uint64_t begin = 0;  // B
        std::uint64_t end = 0;
        std::uint64_t seed = 1;
    };

    std::uint64_t seed = 0;
    std::optional<Area> area{};

    /// Fills `bytes`, which lie at `offset` of `memory`.
    void fill(std::span<std::byte> bytes, Memory memory, std::uint64_t offset) const;

    /// True if all of `bytes`, which lie at `offset` of `memory`, are as fill() leaves them.
    [[nodiscard]] bool left(std::span<const std::byte> bytes, Memory memory, std::uint64_t offset) const;

private:
    [[nodiscard]] std::byte at(Memory memory, std::uint64_t offset) const;
};

}  // namespace ascendsim::sanitize
