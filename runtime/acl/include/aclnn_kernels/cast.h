// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

const aclTensor* Cast(const aclTensor* self, op::DataType dstDtype, aclOpExecutor* executor);
const aclTensor* CastOnlyForConvBackward(const aclTensor* self,
                                         op::DataType dstDtype,
                                         aclOpExecutor* executor);

}  // namespace l0op
