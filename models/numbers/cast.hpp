// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "models/numbers/rounding.hpp"

namespace ascendsim {

/// Converts arrays of the same length element by element, with the results of cast(), for the pairs
/// documented_cast() knows. The usual pairs run at the vector speed of the host. `to` may not overlap `from`,
/// unless it is the same array of the same type.
template <class Dst, class Src>
void cast_all(std::span<const Src> from, std::span<Dst> to, RoundMode mode, CastRange range = {});

/// Converts to packed int4, of which `to` holds half as many objects; an odd last element leaves its upper
/// half 0.
void cast_all(std::span<const half> from, std::span<int4b_t> to, RoundMode mode, CastRange range = {});

/// Converts packed int4 to as many halves as `to` holds; `from` has half as many objects.
void cast_all(std::span<const int4b_t> from, std::span<half> to);

/// Converts int32 to half with the factor given to SetDeqScale.
void cast_all_dequantized(std::span<const std::int32_t> from,
                          std::span<half> to,
                          half scale,
                          CastRange range = {});

}  // namespace ascendsim
