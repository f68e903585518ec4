// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opdev/op_executor.h"

namespace l0op {

/// The same memory under another layout's name.
const aclTensor* ReFormat(const aclTensor* x, const op::Format& format, aclOpExecutor* executor = nullptr);
/// The elements in another layout's order.
const aclTensor* TransData(const aclTensor* x,
                           op::Format dstPrimaryFormat,
                           int64_t groups,
                           aclOpExecutor* executor);
const aclTensor* TransDataSpecial(const aclTensor* x,
                                  op::Format dstPrimaryFormat,
                                  int64_t groups,
                                  aclOpExecutor* executor);

}  // namespace l0op
