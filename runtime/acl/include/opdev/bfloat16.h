// SPDX-License-Identifier: Apache-2.0
// The bfloat16 of host code: the same type as the kernels' bfloat16_t.
#pragma once

#include "models/numbers/bfloat16.hpp"

namespace op {
using bfloat16 = ascendsim::bfloat16;
}  // namespace op
