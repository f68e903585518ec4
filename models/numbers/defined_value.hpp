// SPDX-License-Identifier: Apache-2.0
// For tests: what bits mean, straight from the definition of the formats and independent of the conversions.
#pragma once

#include <cmath>
#include <limits>

namespace ascendsim {

/// The value of a pattern by the definition of the format, in double: (-1)^S * 2^(E-bias) * (1 + M), or * M
/// at
// E = 0.
[[nodiscard]] inline double defined_value(unsigned bits, int mantissa_bits, int bias) {
    const int exponent_bits{15 - mantissa_bits};
    const int exponent{static_cast<int>((bits >> static_cast<unsigned>(mantissa_bits)) &
                                        ((1U << static_cast<unsigned>(exponent_bits)) - 1U))};
    const double mantissa{static_cast<double>(bits & ((1U << static_cast<unsigned>(mantissa_bits)) - 1U))};
    const double sign{(bits & 0x8000U) != 0U ? -1.0 : 1.0};
    if (exponent == (1 << exponent_bits) - 1) {
        return mantissa == 0.0 ? sign * std::numeric_limits<double>::infinity()
                               : std::numeric_limits<double>::quiet_NaN();
    }
    const double fraction{std::ldexp(mantissa, -mantissa_bits)};
    return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias)
                         : sign * std::ldexp(1.0 + fraction, exponent - bias);
}

/// The same for the format of a Float16.
template <class F>
[[nodiscard]] double defined_value(unsigned bits) {
    return defined_value(bits, F::format::mantissa_bits, F::format::bias);
}

}  // namespace ascendsim
