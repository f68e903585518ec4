// SPDX-License-Identifier: Apache-2.0
// Rounding of floats to whole numbers without branches on the value, for loops that vectorise.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "models/numbers/bits.hpp"
#include "models/numbers/rounding.hpp"

namespace ascendsim::numbers {

/// `value` rounded to a whole number in the mode; infinite, NaN and the sign of zero stay.
template <RoundMode mode>
[[gnu::always_inline]] constexpr float whole(float value) noexcept {
    constexpr float all_whole{0x1p23F};
    const std::uint32_t sign{bits_as<std::uint32_t>(value) & 0x8000'0000U};
    const float magnitude{bits_as<float>(bits_as<std::uint32_t>(value) ^ sign)};
    const float small{magnitude < all_whole ? magnitude : 0.0F};
    const float shifted{small + all_whole};  // rounds to nearest even, the last place being 1
    const float nearest{shifted - all_whole};
    const float below{nearest > small ? nearest - 1.0F : nearest};
    const float above{nearest < small ? nearest + 1.0F : nearest};
    float result{nearest};
    if constexpr (mode == RoundMode::floor) {
        result = sign != 0U ? above : below;
    } else if constexpr (mode == RoundMode::ceil) {
        result = sign != 0U ? below : above;
    } else if constexpr (mode == RoundMode::trunc) {
        result = below;
    } else if constexpr (mode == RoundMode::round) {
        result = small - nearest == 0.5F ? nearest + 1.0F : nearest;
    } else if constexpr (mode == RoundMode::odd) {
        result = (bits_as<std::uint32_t>(below + all_whole) & 1U) != 0U ? below : above;
    }
    const float kept{magnitude < all_whole ? result : magnitude};
    return bits_as<float>(bits_as<std::uint32_t>(kept) | sign);
}

/// A whole `value` as an integer of at most 32 bits, clamped to its range; NaN gives 0.
template <class Integer>
[[gnu::always_inline]] constexpr Integer clamped(float value) noexcept {
    static_assert(sizeof(Integer) <= 4 && (std::is_signed_v<Integer> || sizeof(Integer) < 4));
    using Limits = std::numeric_limits<Integer>;
    constexpr float end{static_cast<float>(std::uint64_t{1} << static_cast<unsigned>(Limits::digits))};
    constexpr float begin{static_cast<float>(Limits::min())};
    const bool inside{value >= begin && value < end};
    const float safe{inside ? value : 0.0F};
    const std::int32_t converted{static_cast<std::int32_t>(safe)};
    const std::int32_t edge{value >= end ? std::int32_t{Limits::max()}
                                         : (value < begin ? std::int32_t{Limits::min()} : 0)};
    return static_cast<Integer>(inside ? converted : edge);
}

}  // namespace ascendsim::numbers
