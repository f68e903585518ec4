// SPDX-License-Identifier: Apache-2.0
// bfloat16: the upper half of a float: sign 1, exponent 8, mantissa 7 bits. Included by kernels too, so it
// stays within C++17.
#pragma once

#include <cstdint>

#include "models/numbers/bits.hpp"
#include "models/numbers/float16.hpp"

namespace ascendsim {

namespace numbers {

/// The layout of bfloat16 and its conversions, which are selections without branches.
struct Bfloat16Format {
    static constexpr int mantissa_bits{7};
    static constexpr int bias{127};
    static constexpr std::uint16_t inf_bits{0x7F80};

    /// To nearest, ties to even; a NaN keeps the upper part of its payload and becomes quiet.
    [[nodiscard]] static constexpr std::uint16_t from_float(float value) noexcept {
        const std::uint32_t raw{bits_as<std::uint32_t>(value)};
        const std::uint32_t rounded{(raw + 0x7FFFU + ((raw >> 16U) & 1U)) >> 16U};
        const std::uint32_t nan{(raw | float_quiet_bit) >> 16U};
        return static_cast<std::uint16_t>((raw & 0x7FFF'FFFFU) > float_inf_bits ? nan : rounded);
    }

    /// Exact; a NaN becomes quiet.
    [[nodiscard]] static constexpr float to_float(std::uint16_t bits) noexcept {
        const std::uint32_t wide{static_cast<std::uint32_t>(bits) << 16U};
        const bool nan{(wide & 0x7FFF'FFFFU) > float_inf_bits};
        return bits_as<float>(wide | (nan ? float_quiet_bit : 0U));
    }
};

}  // namespace numbers

/// The chip's bfloat16_t.
using bfloat16 = numbers::Float16<numbers::Bfloat16Format>;

static_assert(sizeof(bfloat16) == 2 && std::is_trivial_v<bfloat16>);

}  // namespace ascendsim
