// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/loops/loops.hpp"
#include "networks/loops/program.hpp"

namespace ascendsim::networks::loops {

/// Appends the instructions of a step of one operand, in float. The polynomials are those of Abramowitz and
/// Stegun, Handbook of Mathematical Functions.
[[nodiscard]] Number function_of(Builder& b, const Step& step, Number x);

/// a to the power of b: negative a takes whole b alone.
[[nodiscard]] Number power_of(Builder& b, Number base, Number exponent);

/// a to the power of a number.
[[nodiscard]] Number power_of(Builder& b, Number base, double exponent);

/// -1, 0 or 1.
[[nodiscard]] Number sign_of(Builder& b, Number x);

}  // namespace ascendsim::networks::loops
