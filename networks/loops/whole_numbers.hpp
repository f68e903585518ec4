// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/loops/loops.hpp"
#include "networks/loops/program.hpp"

namespace ascendsim::networks::loops {

/// Instructions on whole numbers: int32 as they are, shorter ones in float, which holds them exactly.

/// A short integer's value after it wrapped around.
[[nodiscard]] Number wrapped(Builder& b, Number x, isa::DataType type);

/// The product of int16 numbers, as int32 has it, cut to 16 bits.
[[nodiscard]] Number short_product(Builder& b, Number x, Number y);

/// A bit mask of int32 numbers; the chip knows equality alone.
[[nodiscard]] Number compare_whole(Builder& b, Comparison how, Number x, Number y);

/// Quotient (rounded to zero) or remainder of int32 numbers.
[[nodiscard]] Number divide_whole(Builder& b, Op op, Number x, Number y);

/// Bits of two operands of any integer type, or truth values.
[[nodiscard]] Number bits_of_two(Builder& b, Op op, Number x, Number y, isa::DataType type);
[[nodiscard]] Number bits_of_one(Builder& b, Number x, isa::DataType type);

}  // namespace ascendsim::networks::loops
