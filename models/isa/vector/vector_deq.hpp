// SPDX-License-Identifier: Apache-2.0
// Conversions with a scale from the DEQSCALE register.
#pragma once

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

/// Scale, offset and sign of one quantisation, as the register and the 16 words of a table hold them: fp32 in
/// the low half, a signed 9-bit offset from bit 37 on, bit 46 for signed results.
struct DeqScale {
    float scale = 1.0F;
    std::int32_t offset = 0;
    bool is_signed = false;

    [[nodiscard]] std::uint64_t pack() const;
    [[nodiscard]] static DeqScale unpack(std::uint64_t word);
};

/// Sets the register: to one scale for all lanes, or to a table of 16 in UB, whose n-th word serves the n-th
/// column.
void set_deq_scale(const DeqScale& scale);
void set_deq_table(std::uint32_t offset);

/// int16 to int8 or uint8: multiplied in fp32, rounded to nearest even, offset added, saturated. A block of
/// 16 results goes to the upper or lower half of the destination's block; the other half stays as it is. The
/// results' sign is that of the register, which must be the type's.
void vector_cast_deq(const VectorOperand& dst,
                     const VectorOperand& src,
                     bool from_table,
                     bool lower_half,
                     const VectorShape& shape,
                     Site site);

/// dst = max(half((a + b) * scale), 0), of int32, with the half of SetDeqScale; the sum wraps like Add's.
void vector_add_deq_relu(const VectorOperand& dst,
                         const VectorOperand& a,
                         const VectorOperand& b,
                         const VectorShape& shape,
                         Site site);

}  // namespace ascendsim::isa
