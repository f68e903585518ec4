// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/poison/poison.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace ascendsim::sanitize {
namespace {

constexpr std::uint64_t word_bytes = 8;

/// splitmix64.
constexpr std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

/// The pattern of the word number `word` of a memory, four halfwords. With an exponent of all ones they are
/// NaN in half, bfloat16 and float. Otherwise the two upper bits of their exponents are 01 or 10, which keeps
/// them away from both ends of each type.
std::uint64_t pattern(std::uint64_t seed, Memory memory, std::uint64_t word) {
    constexpr std::uint64_t not_a_number = 0x7FC1'7FC1'7FC1'7FC1U;
    constexpr std::uint64_t payload = 0x001E'001E'001E'001EU;
    constexpr std::uint64_t upper = 0x4000'4000'4000'4000U;
    constexpr std::uint64_t next = 0x2000'2000'2000'2000U;
    switch (seed) {
        case Poison::largest:
            return 0x7BFF'7BFF'7BFF'7BFFU;
        case Poison::least:
            return 0xFBFF'FBFF'FBFF'FBFFU;
        case Poison::zero:
            return 0;
        default:
            break;
    }
    const std::uint64_t place = (word << 4U) + index(memory);
    const std::uint64_t random = mixed(mixed(seed + 0x9E3779B97F4A7C15U) ^ (place * 0xD1B54A32D192ED03U));
    if (seed == 0) {
        return not_a_number | (random & payload);
    }
    return (random & ~next) | ((~random & upper) >> 1U);
}

std::byte byte_of(std::uint64_t word, std::uint64_t offset) {
    return static_cast<std::byte>(word >> (8 * (offset % word_bytes)));
}

}  // namespace

std::byte Poison::at(Memory memory, std::uint64_t offset) const {
    const bool other = area && area->memory == memory && offset >= area->begin && offset < area->end;
    return byte_of(pattern(other ? area->seed : seed, memory, offset / word_bytes), offset);
}

void Poison::fill(std::span<std::byte> bytes, Memory memory, std::uint64_t offset) const {
    const bool whole =
        !area || area->memory != memory || area->end <= offset || area->begin >= offset + bytes.size();
    std::size_t i = 0;
    while (i < bytes.size()) {
        if (whole && (offset + i) % word_bytes == 0 && bytes.size() - i >= word_bytes) {
            const std::uint64_t word = pattern(seed, memory, (offset + i) / word_bytes);
            std::memcpy(bytes.data() + i, &word, word_bytes);
            i += word_bytes;
        } else {
            bytes[i] = at(memory, offset + i);
            ++i;
        }
    }
}

bool Poison::left(std::span<const std::byte> bytes, Memory memory, std::uint64_t offset) const {
    constexpr std::size_t part = 4096;
    std::array<std::byte, part> expected{};
    for (std::size_t begin = 0; begin < bytes.size(); begin += part) {
        const std::size_t count = std::min(part, bytes.size() - begin);
        fill(std::span{expected}.first(count), memory, offset + begin);
        if (!std::equal(expected.begin(),
                        expected.begin() + static_cast<std::ptrdiff_t>(count),
                        bytes.begin() + static_cast<std::ptrdiff_t>(begin))) {
            return false;
        }
    }
    return true;
}

}  // namespace ascendsim::sanitize
