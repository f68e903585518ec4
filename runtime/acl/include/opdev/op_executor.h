// SPDX-License-Identifier: Apache-2.0
// Executors, which record the launches of a call and start them.
#pragma once

#include "opdev/common_types.h"
#include "opdev/op_def.h"
#include "opdev/op_dfx.h"
#include "runtime/acl/op_api/executor_owner.hpp"

/// Starts what an executor recorded. The call that made it names it.
aclnnStatus CommonOpExecutorRun(void* workspace,
                                uint64_t workspace_bytes,
                                aclOpExecutor* executor,
                                aclrtStream stream);

#define CREATE_EXECUTOR() ::ascendsim::op_api::ExecutorOwner::of_call()

using UniqueExecutor = ascendsim::op_api::ExecutorOwner;

namespace op {

using UniqueExecutor = ascendsim::op_api::ExecutorOwner;

/// A tensor of the device with the content of one of the host's.
aclTensor* CopyToNpu(const aclTensor* tensor, aclOpExecutor* executor);
aclTensor* CopyToNpuSync(const aclTensor* tensor, aclOpExecutor* executor);

}  // namespace op
