// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// The tensor with its elements in rows: itself, or a copy.
const aclTensor* Contiguous(const aclTensor* x, aclOpExecutor* executor);
/// Puts the elements of `x` where `y` has its own.
const aclTensor* ViewCopy(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);
const aclTensor* PickViewAsContiguous(const aclTensor* x, aclOpExecutor* executor);
const aclTensor* ReViewToOut(const aclTensor* x, const aclTensor* y, aclOpExecutor* executor);

}  // namespace l0op
