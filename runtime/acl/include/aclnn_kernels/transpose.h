// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

const aclTensor* Transpose(const aclTensor* x, const aclIntArray* perm, aclOpExecutor* executor);
const aclTensor* Transpose(const aclTensor* x,
                           const aclTensor* y,
                           const aclTensor* perm,
                           aclOpExecutor* executor);

}  // namespace l0op
