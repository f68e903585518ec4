// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/executor_owner.hpp"

#include <cstring>

#include "runtime/acl/device.hpp"
#include "runtime/acl/nn/nn_call.hpp"
#include "runtime/acl/nn/nn_objects.hpp"
#include "runtime/acl/op_api/recording.hpp"

namespace ascendsim::op_api {

ExecutorOwner ExecutorOwner::of_call() {
    auto executor = std::make_unique<aclOpExecutor>(aclOpExecutor{.function = current_function()});
    executor->recording = std::make_shared<Recording>();
    return ExecutorOwner{std::move(executor)};
}

void ExecutorOwner::ReleaseTo(aclOpExecutor** to) {
    if (executor_ != nullptr && to != nullptr) {
        executor_->prepared = executor_->recording->prepared();
        *to = program::live_handles().made(executor_.release());
    }
}

}  // namespace ascendsim::op_api

aclnnStatus CommonOpExecutorRun(void* workspace,
                                uint64_t workspace_bytes,
                                aclOpExecutor* executor,
                                aclrtStream stream) {
    return ascendsim::nn::start(
        ascendsim::op_api::current_function().c_str(), workspace, workspace_bytes, executor, stream);
}

namespace op {

aclTensor* CopyToNpu(const aclTensor* tensor, aclOpExecutor* executor) {
    ascendsim::program::Device* const device = ascendsim::program::current_device();
    if (tensor == nullptr || executor == nullptr || device == nullptr) {
        return nullptr;
    }
    aclTensor* const copy =
        executor->AllocTensor(tensor->GetViewShape(), tensor->GetDataType(), tensor->GetStorageFormat());
    if (tensor->storage != nullptr && tensor->storage->on_host && !tensor->storage->host.empty()) {
        const std::vector<std::byte>& content = tensor->storage->host;
        std::byte* const address = device->memory().allocate("a tensor of the host's", content.size());
        std::memcpy(address, content.data(), content.size());
        device->host_wrote(device->memory().offset_of(address), content.size());
        copy->SetStorageAddr(address);
    }
    return copy;
}

aclTensor* CopyToNpuSync(const aclTensor* tensor, aclOpExecutor* executor) {
    return CopyToNpu(tensor, executor);
}

}  // namespace op
