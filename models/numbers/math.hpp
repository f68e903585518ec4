// SPDX-License-Identifier: Apache-2.0
// The elementwise functions of the vector unit over arrays: those of elementary.hpp, at the vector speed of
// the host. For half they compute in float and round once. Results may overwrite the arguments in place, but
// not overlap otherwise.
#pragma once

#include <span>

#include "models/numbers/half.hpp"

namespace ascendsim::numbers {

/// y = e^x.
void exp(std::span<const float> x, std::span<float> y);
void exp(std::span<const half> x, std::span<half> y);

/// y = ln(x).
void ln(std::span<const float> x, std::span<float> y);
void ln(std::span<const half> x, std::span<half> y);

/// y = sqrt(x).
void sqrt(std::span<const float> x, std::span<float> y);
void sqrt(std::span<const half> x, std::span<half> y);

/// y = 1 / sqrt(x).
void rsqrt(std::span<const float> x, std::span<float> y);
void rsqrt(std::span<const half> x, std::span<half> y);

/// y = 1 / x.
void reciprocal(std::span<const float> x, std::span<float> y);
void reciprocal(std::span<const half> x, std::span<half> y);

/// y = 1 / (1 + e^-x).
void sigmoid(std::span<const float> x, std::span<float> y);
void sigmoid(std::span<const half> x, std::span<half> y);

/// y = tanh(x).
void tanh(std::span<const float> x, std::span<float> y);
void tanh(std::span<const half> x, std::span<half> y);

/// y = erf(x).
void erf(std::span<const float> x, std::span<float> y);
void erf(std::span<const half> x, std::span<half> y);

/// y = sin(x), x in radians.
void sin(std::span<const float> x, std::span<float> y);
void sin(std::span<const half> x, std::span<half> y);

/// y = cos(x), x in radians.
void cos(std::span<const float> x, std::span<float> y);
void cos(std::span<const half> x, std::span<half> y);

/// y = a / b.
void divide(std::span<const float> a, std::span<const float> b, std::span<float> y);
void divide(std::span<const half> a, std::span<const half> b, std::span<half> y);

/// y = a to the power b.
void power(std::span<const float> a, std::span<const float> b, std::span<float> y);
void power(std::span<const half> a, std::span<const half> b, std::span<half> y);

}  // namespace ascendsim::numbers
