// SPDX-License-Identifier: Apache-2.0
// The 16-bit float of host code, under the name that libraries share.
#pragma once

#include "opdev/fp16_t.h"

namespace Ops {
namespace Base {
using fp16_t = ::op::fp16_t;
}  // namespace Base
}  // namespace Ops
