// SPDX-License-Identifier: Apache-2.0
// Sums and differences that are clipped at zero and converted in one instruction.
#pragma once

#include "models/isa/vector/elementwise.hpp"

namespace ascendsim::isa {

/// dst = convert(max(a + b, 0)), or of a - b where `subtract`: of float to half, of half and int16 to int8
/// (API reference, AddReluCast and SubReluCast). The conversion rounds to nearest even and saturates; what is
/// converted has not been rounded before to the sources' type. Fails for other types.
void vector_relu_cast(const VectorOperand& dst,
                      const VectorOperand& a,
                      const VectorOperand& b,
                      bool subtract,
                      const VectorShape& shape,
                      Site site);

}  // namespace ascendsim::isa
