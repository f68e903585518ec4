// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/op_executor.h"
#include "opdev/shape_utils.h"

namespace l0op {

/// A view in another shape; one extent may be -1.
const aclTensor* Reshape(const aclTensor* x, const op::Shape& shape, aclOpExecutor* executor);
const aclTensor* Reshape(const aclTensor* x, const aclIntArray* shape, aclOpExecutor* executor);

}  // namespace l0op
