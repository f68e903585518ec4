// SPDX-License-Identifier: Apache-2.0
// The 16-bit float of host code: the same type as the kernels' half.
#pragma once

#include "models/numbers/half.hpp"

namespace op {
using fp16_t = ascendsim::half;
}  // namespace op
