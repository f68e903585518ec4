// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

enum class Comparison : std::uint8_t { lt, gt, eq, le, ge, ne };

/// The right side of a comparison, or the second choice of a select: a tensor or a scalar.
struct TensorOrScalar {
    VectorOperand tensor;
    ScalarBits scalar;
    bool is_scalar = false;
};

/// Writes one bit per element, densely from UB offset `dst`: repeat r from byte r x lanes / 8.
void vector_compare(std::uint32_t dst,
                    const VectorOperand& a,
                    const TensorOrScalar& b,
                    Comparison how,
                    const VectorShape& shape,
                    Site site);
/// The same for one repeat, to the CMPMASK register.
void vector_compare_to_register(
    const VectorOperand& a, const TensorOrScalar& b, Comparison how, const VectorShape& shape, Site site);

/// Where a select finds its bits.
struct SelectBits {
    std::uint32_t offset = 0;    // B in UB
    bool from_register = false;  // CMPMASK, the same in every repeat
    bool repeats = false;        // the first repeat's bits, again in every repeat
};

/// dst = bit ? a : b, lane by lane.
void vector_select(const VectorOperand& dst,
                   const SelectBits& bits,
                   const VectorOperand& a,
                   const TensorOrScalar& b,
                   const VectorShape& shape,
                   Site site);

/// Copies CMPMASK from and to 16 bytes of UB.
void load_compare_mask(std::uint32_t offset, Site site);
void store_compare_mask(std::uint32_t offset, Site site);

}  // namespace ascendsim::isa
