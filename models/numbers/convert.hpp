// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim {

/// Convert arrays of the same length between float and the 16-bit types, to nearest even. They use the host's
/// vector instructions where it has them; the bits are those of single conversions on every host.
void convert(std::span<const half> from, std::span<float> to);
void convert(std::span<const float> from, std::span<half> to);
void convert(std::span<const bfloat16> from, std::span<float> to);
void convert(std::span<const float> from, std::span<bfloat16> to);

namespace numbers {

/// The same without special instructions, for hosts without them (and for tests that compare).
void convert_portably(std::span<const half> from, std::span<float> to);
void convert_portably(std::span<const float> from, std::span<half> to);
void convert_portably(std::span<const bfloat16> from, std::span<float> to);
void convert_portably(std::span<const float> from, std::span<bfloat16> to);

}  // namespace numbers
}  // namespace ascendsim
