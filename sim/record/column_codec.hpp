// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sim/record/byte_stream.hpp"

namespace ascendsim::record {

/// Most bytes that encode_column() writes for `rows` values.
[[nodiscard]] constexpr std::size_t encoded_bound(std::size_t rows) {
    return 16 + rows * 8;
}

/// Writes a column: nothing but its value if that is constant; otherwise the values, without their common
/// trailing zero bits, in the width of one, two or four bytes that is smallest in all, and the few that do
/// not fit as exceptions.
void encode_column(std::span<const std::uint32_t> values, ByteWriter& to);

/// Reads a column of values.size() rows; throws UserError if the bytes cannot be one.
void decode_column(ByteReader& from, std::span<std::uint32_t> values);

/// Maps small differences of either sign to small numbers.
[[nodiscard]] constexpr std::uint64_t zigzag(std::uint64_t difference) {
    return (difference << 1U) ^ (std::uint64_t{0} - (difference >> 63U));
}

[[nodiscard]] constexpr std::uint64_t unzigzag(std::uint64_t value) {
    return (value >> 1U) ^ (std::uint64_t{0} - (value & 1U));
}

}  // namespace ascendsim::record
