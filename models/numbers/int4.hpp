// SPDX-License-Identifier: Apache-2.0
// Included by kernels too, so it stays within C++17.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ascendsim {

/// Two signed 4-bit integers in a byte, the element with the even index in the low four bits.
///
/// Ascend C counts elements of a LocalTensor<int4b_t> by nibble: n elements take n / 2 bytes, that is n / 2
/// objects.
struct int4b_t {
    std::uint8_t storage;

    /// The pair of the low four bits of each.
    [[nodiscard]] static constexpr int4b_t pack(int low, int high) noexcept {
        const unsigned bits{(static_cast<unsigned>(low) & 0xFU) |
                            ((static_cast<unsigned>(high) & 0xFU) << 4U)};
        return int4b_t{static_cast<std::uint8_t>(bits)};
    }

    /// The element with the even index, -8 to 7.
    [[nodiscard]] constexpr std::int8_t low() const noexcept { return sign_extend(storage & 0xFU); }

    /// The element with the odd index, -8 to 7.
    [[nodiscard]] constexpr std::int8_t high() const noexcept {
        return sign_extend(static_cast<unsigned>(storage) >> 4U);
    }

    friend constexpr bool operator==(int4b_t a, int4b_t b) noexcept { return a.storage == b.storage; }

    friend constexpr bool operator!=(int4b_t a, int4b_t b) noexcept { return a.storage != b.storage; }

private:
    [[nodiscard]] static constexpr std::int8_t sign_extend(unsigned nibble) noexcept {
        return static_cast<std::int8_t>(static_cast<int>(nibble ^ 8U) - 8);
    }
};

static_assert(sizeof(int4b_t) == 1);

namespace numbers {

inline constexpr int int4_min{-8};
inline constexpr int int4_max{7};

/// The number of int4b_t objects that hold `elements` nibbles.
[[nodiscard]] constexpr std::size_t int4_bytes(std::size_t elements) noexcept {
    return (elements + 1U) / 2U;
}

/// Element `index` of an array of packed nibbles, -8 to 7.
[[nodiscard]] constexpr std::int8_t int4_at(const int4b_t* packed, std::size_t index) noexcept {
    const int4b_t pair{packed[index / 2U]};
    return index % 2U == 0U ? pair.low() : pair.high();
}

/// Sets element `index` to the low four bits of `value`; its neighbour in the byte stays.
constexpr void set_int4(int4b_t* packed, std::size_t index, int value) noexcept {
    int4b_t& pair{packed[index / 2U]};
    pair = index % 2U == 0U ? int4b_t::pack(value, pair.high()) : int4b_t::pack(pair.low(), value);
}

}  // namespace numbers
}  // namespace ascendsim
