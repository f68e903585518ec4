// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// A part, from `offsets` on; a size of -1 takes the rest.
const aclTensor* Slice(const aclTensor* x,
                       const aclIntArray* offsets,
                       const aclIntArray* size,
                       aclOpExecutor* executor);
const aclTensor* Slice(const aclTensor* x,
                       const aclTensor* y,
                       const aclTensor* offset,
                       const aclTensor* size,
                       aclOpExecutor* executor);

}  // namespace l0op
