// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/isa/vector/elementwise.hpp"
#include "models/numbers/rounding.hpp"

namespace ascendsim::isa {

/// Converts src to dst; int32 to half multiplies with the register of SetDeqScale. Fails for pairs the chip
/// lacks.
void vector_cast(
    const VectorOperand& dst, const VectorOperand& src, RoundMode mode, const VectorShape& shape, Site site);

}  // namespace ascendsim::isa
