// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/port/data_type.hpp"

namespace ascendsim::host {

/// The float of an IEEE half's bits.
[[nodiscard]] float half_to_float(std::uint16_t bits);
/// The nearest half, ties to even; too large becomes infinity.
[[nodiscard]] std::uint16_t float_to_half(float value);
/// The nearest bfloat16, ties to even.
[[nodiscard]] std::uint16_t float_to_bfloat16(float value);

/// Element `i` of `bytes` as a double. 64-bit integers beyond 2^53 are rounded.
[[nodiscard]] double read_element(isa::DataType type, std::span<const std::byte> bytes, std::uint64_t i);
/// Stores `value` as element `i`: rounded to nearest even, integers saturating, NaN to an integer is 0.
void write_element(isa::DataType type, std::span<std::byte> bytes, std::uint64_t i, double value);

/// All elements of `bytes` as floats.
void read_floats(isa::DataType type, std::span<const std::byte> bytes, std::span<float> values);

/// How many values of `type` lie between two of its values; floats only, elsewhere the rounded difference.
[[nodiscard]] std::uint64_t ulp_distance(isa::DataType type, double a, double b);

}  // namespace ascendsim::host
