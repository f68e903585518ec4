// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/make_op_executor.h"
#include "opdev/op_executor.h"

namespace l0op {

/// Zeros around; `paddings` are those before and behind each extent.
const aclTensor* Pad(const aclTensor* self, const aclTensor* paddings, aclOpExecutor* executor);

}  // namespace l0op
