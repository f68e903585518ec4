// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/common_types.h"

namespace op {

inline bool CheckBroadcastShape(const Shape& a, const Shape& b) {
    Shape both;
    return BroadcastInferShape(a, b, both);
}

}  // namespace op
