// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/op_api/recording.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/device.hpp"
#include "runtime/acl/nn/nn_call.hpp"
#include "runtime/acl/op_api/elements.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::op_api {
namespace {

using program::CallArgument;
using program::CallTensor;
using program::Device;
using program::OperatorAsk;
using program::PreparedOperator;

std::string& function_name() {
    // NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): of the call that a thread makes
    thread_local std::string name;
    return name;
}

Device& device() {
    Device* const current = program::current_device();
    if (current == nullptr) {
        throw UserError{"{}: there is no device: aclnn calls work between aclInit and aclFinalize",
                        function_name()};
    }
    return *current;
}

std::int64_t elements(const std::vector<std::int64_t>& extents) {
    std::int64_t count = 1;
    for (const std::int64_t extent : extents) {
        count *= extent;
    }
    return count;
}

/// Code may have brought a result elsewhere (SetStorageAddr) after its launch was recorded.
void bind(OperatorAsk& step) {
    for (CallArgument& argument : step.arguments) {
        for (CallTensor& tensor : argument.tensors) {
            if (tensor.storage != nullptr) {
                tensor.address = tensor.storage->address;
            }
        }
    }
}

/// Gives a tensor room on the device: what an earlier call left to the stream that ran last, else more.
void allocate(Storage& storage, std::uint64_t bytes, bool may_reuse) {
    program::AclState& state = program::acl_state();
    const auto free = std::ranges::find_if(state.left_memory, [&](const program::LeftMemory& one) {
        return may_reuse && one.bytes == bytes && one.stream == state.last_operator_stream;
    });
    storage.bytes = bytes;
    if (free != state.left_memory.end()) {
        storage.address = free->address;
        storage.used_on = free->stream;
        state.left_memory.erase(free);
        return;
    }
    storage.address = device().memory().allocate(fmt::format("a tensor within {}", function_name()), bytes);
    storage.used_on.reset();
}

/// The steps one after the other, on one stream.
class Sequence final : public PreparedOperator {
public:
    explicit Sequence(std::vector<std::shared_ptr<PreparedOperator>> steps) : steps_{std::move(steps)} {}

    [[nodiscard]] std::uint64_t workspace() const override {
        std::uint64_t most = 0;  // they follow each other, so they share it
        for (const auto& step : steps_) {
            most = std::max(most, step->workspace());
        }
        return most;
    }

    void launch(program::StreamNumber stream, const program::CallPlace& call, std::byte* workspace) override {
        for (const auto& step : steps_) {
            step->launch(stream, call, workspace);
        }
    }

private:
    std::vector<std::shared_ptr<PreparedOperator>> steps_;
};

}  // namespace

void Recording::add(OperatorAsk step) {
    steps_.push_back(std::move(step));
    ready_ = nullptr;
}

std::shared_ptr<PreparedOperator> Recording::prepared() {
    if (ready_ == nullptr) {
        std::vector<std::shared_ptr<PreparedOperator>> all;
        for (OperatorAsk& step : steps_) {
            bind(step);
            std::string refusal;
            std::shared_ptr<PreparedOperator> one = device().prepare(step, refusal);
            if (!refusal.empty()) {
                throw Refused{fmt::format("{}: {}", step.type, refusal)};
            }
            all.push_back(std::move(one));
        }
        ready_ = std::make_shared<Sequence>(std::move(all));
    }
    return ready_;
}

std::shared_ptr<PreparedOperator> Recording::prepared_for(program::StreamNumber stream, bool for_good) {
    for (const std::shared_ptr<Storage>& one : memory_) {
        if (one->used_on && !one->borrowed && (for_good || *one->used_on != stream)) {
            program::acl_state().left_memory.push_back({one->address, one->bytes, *one->used_on});
            allocate(*one, one->bytes, false);
            ready_ = nullptr;
        }
    }
    return prepared();
}

void Recording::give_back(program::StreamNumber stream) {
    program::AclState& state = program::acl_state();
    state.last_operator_stream = stream;
    for (const std::shared_ptr<Storage>& one : memory_) {
        if (one->address != nullptr && !one->borrowed) {
            state.left_memory.push_back({one->address, one->bytes, stream});
        }
    }
    memory_.clear();
}

void begin(const char* function) {
    function_name() = function;
}

const std::string& current_function() {
    return function_name();
}

std::byte* address_of(const aclTensor& tensor) {
    if (tensor.storage == nullptr) {
        return tensor.value.address;
    }
    Storage& storage = *tensor.storage;
    const op::DataType type = tensor.GetDataType();
    const std::int64_t count = std::max(elements(tensor.value.stored), elements(tensor.value.shape));
    const auto bytes = static_cast<std::uint64_t>(op::CalcShapeBytes(count, type, true));
    if (count > 0 && (storage.address == nullptr || storage.bytes < bytes) && !storage.borrowed) {
        allocate(storage, bytes, true);
    }
    return storage.address;
}

CallTensor as_view(const aclTensor& tensor) {
    CallTensor view = tensor.value;
    view.address = address_of(tensor);
    view.storage = tensor.storage;
    return view;
}

CallTensor as_operand(const aclTensor& tensor) {
    CallTensor operand = tensor.value;
    if (tensor.storage != nullptr && tensor.storage->on_host) {
        operand.known = elements_of(tensor.storage->host, tensor.GetDataType());
        return operand;
    }
    operand.address = address_of(tensor);
    operand.storage = tensor.storage;
    if (op::IsPrivateFormat(tensor.GetStorageFormat())) {
        operand.shape = tensor.original;
        op::ToContiguousStrides(tensor.GetOriginalShape(), operand.strides);
        return operand;
    }
    if (!operand.contiguous()) {
        return operand;
    }
    if (tensor.storage != nullptr && elements(operand.stored) == elements(operand.shape)) {
        operand.shape = operand.stored;
        op::ToContiguousStrides(tensor.GetStorageShape(), operand.strides);
    } else {
        operand.stored = operand.shape;
    }
    return operand;
}

void move(aclOpExecutor* executor, const char* how, CallTensor from, CallTensor to) {
    OperatorAsk step{.function = function_name(), .arguments = {}, .site = nn::call_place()};
    step.type = how;
    step.moves = true;
    step.arguments = {
        CallArgument{.name = "x", .kind = program::CallKind::tensor, .tensors = {std::move(from)}},
        CallArgument{
            .name = "y", .kind = program::CallKind::tensor, .written = true, .tensors = {std::move(to)}}};
    executor->recording->add(std::move(step));
}

aclnnStatus record(aclOpExecutor* executor, const char* type, std::vector<CallArgument> arguments) {
    OperatorAsk step{
        .function = function_name(), .arguments = std::move(arguments), .site = nn::call_place()};
    step.type = type;
    executor->recording->add(std::move(step));
    return ACLNN_SUCCESS;
}

aclnnStatus infer(aclOpExecutor* /*executor*/,
                  const char* type,
                  std::vector<CallArgument> arguments,
                  const std::vector<aclTensor*>& outputs) {
    OperatorAsk step{
        .function = function_name(), .arguments = std::move(arguments), .site = nn::call_place()};
    step.type = type;
    std::string refusal;
    const std::vector<CallTensor> shapes = device().infer(step, refusal);
    if (!refusal.empty()) {
        throw Refused{fmt::format("{}: {}", type, refusal)};
    }
    for (std::size_t i = 0; i < std::min(outputs.size(), shapes.size()); ++i) {
        if (outputs[i] != nullptr) {
            const op::Shape shape{shapes[i].shape};
            outputs[i]->SetViewShape(shape);
            outputs[i]->SetOriginalShape(shape);
            outputs[i]->SetStorageShape(op::Shape{shapes[i].stored});
        }
    }
    return ACLNN_SUCCESS;
}

}  // namespace ascendsim::op_api
