// SPDX-License-Identifier: Apache-2.0
// IEEE 754 binary16: sign 1, exponent 5, mantissa 10 bits. Included by kernels too, so it stays within C++17.
#pragma once

#include <cstdint>

#include "models/numbers/bits.hpp"
#include "models/numbers/float16.hpp"

namespace ascendsim {

namespace numbers {

/// The layout of half and its conversions; both are selections without branches, so that loops over them
/// vectorise. They give the same bits as the x86 instructions vcvtps2ph and vcvtph2ps, quieting of NaN
/// included.
struct HalfFormat {
    static constexpr int mantissa_bits{10};
    static constexpr int bias{15};
    static constexpr std::uint16_t inf_bits{0x7C00};

    /// To nearest, ties to even.
    [[nodiscard]] static constexpr std::uint16_t from_float(float value) noexcept {
        const std::uint32_t raw{bits_as<std::uint32_t>(value)};
        const std::uint32_t sign{(raw >> 16U) & 0x8000U};
        const std::uint32_t magnitude{raw & 0x7FFF'FFFFU};
        // Normal: rebias the exponent by -112 and round half to even at bit 13; a carry runs into the
        // exponent.
        const std::uint32_t normal{(magnitude - (112U << 23U) + 0xFFFU + ((magnitude >> 13U) & 1U)) >> 13U};
        // Subnormal (below 2^-14): the last place of 0.5 is 2^-24, the quantum wanted, so an addition rounds.
        const std::uint32_t small{magnitude < 0x3880'0000U ? magnitude : 0U};
        const std::uint32_t subnormal{bits_as<std::uint32_t>(bits_as<float>(small) + 0.5F) - 0x3F00'0000U};
        const std::uint32_t special{magnitude > float_inf_bits ? 0x7E00U | ((magnitude >> 13U) & 0x3FFU)
                                                               : 0x7C00U};
        const std::uint32_t finite{magnitude < 0x3880'0000U ? subnormal : normal};
        return static_cast<std::uint16_t>(sign | (magnitude >= 0x4780'0000U ? special : finite));
    }

    /// Exact.
    [[nodiscard]] static constexpr float to_float(std::uint16_t bits) noexcept {
        const std::uint32_t sign{static_cast<std::uint32_t>(bits & 0x8000U) << 16U};
        const std::uint32_t shifted{static_cast<std::uint32_t>(bits & 0x7FFFU) << 13U};
        const std::uint32_t normal{shifted + (112U << 23U)};
        const std::uint32_t nan_quiet{shifted > 0x0F80'0000U ? float_quiet_bit : 0U};
        const std::uint32_t special{(shifted + (224U << 23U)) | nan_quiet};
        // A subnormal is its mantissa in units of 2^-24: put it below a leading 2^-14 and take that away
        // again.
        const std::uint32_t small{shifted < 0x0080'0000U ? shifted : 0U};
        const float leading{bits_as<float>(113U << 23U)};
        const std::uint32_t subnormal{
            bits_as<std::uint32_t>(bits_as<float>(small + (113U << 23U)) - leading)};
        const std::uint32_t finite{shifted < 0x0080'0000U ? subnormal : normal};
        return bits_as<float>(sign | (shifted >= 0x0F80'0000U ? special : finite));
    }
};

}  // namespace numbers

/// The chip's 16-bit float.
using half = numbers::Float16<numbers::HalfFormat>;

static_assert(sizeof(half) == 2 && std::is_trivial_v<half>);

}  // namespace ascendsim
