// SPDX-License-Identifier: Apache-2.0
// What the code around an operator asks for while an aclnn call's first phase runs it: launches of kernels
// and movements of elements, in order.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/acl/include/aclnn/acl_meta.h"
#include "runtime/acl/nn/operator_ask.hpp"
#include "runtime/acl/op_api/call_objects.hpp"

namespace ascendsim::op_api {

/// An operator refuses what was recorded; comes back to the program as a code.
class Refused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The steps of one call, and the objects that its code made; these live as long as the executor.
class Recording {
public:
    template <class T>
    T* keep(std::unique_ptr<T> object) {
        T* const address = object.get();
        kept_.push_back(std::shared_ptr<T>{std::move(object)});
        return address;
    }

    /// The same of a tensor with memory of its own.
    aclTensor* keep_owner(std::unique_ptr<aclTensor> tensor) {
        memory_.push_back(tensor->storage);
        return keep(std::move(tensor));
    }

    void add(program::OperatorAsk step);

    /// Finds and tiles what is recorded and not yet ready. Throws Refused, and UserError for an operator that
    /// nobody has.
    [[nodiscard]] std::shared_ptr<program::PreparedOperator> prepared();

    /// What is about to run runs on this stream: memory that work of another one may still use is replaced.
    /// With `for_good` all of it stays the recording's, as in a graph that runs again.
    [[nodiscard]] std::shared_ptr<program::PreparedOperator> prepared_for(program::StreamNumber stream,
                                                                          bool for_good);

    /// It runs on this stream and never again: what follows there may have its memory.
    void give_back(program::StreamNumber stream);

private:
    std::vector<std::shared_ptr<void>> kept_;
    std::vector<std::shared_ptr<Storage>> memory_;  // of its own tensors
    std::vector<program::OperatorAsk> steps_;
    std::shared_ptr<program::PreparedOperator> ready_;
};

/// Notes for whom the code that is about to run works: "aclnnRmsNorm".
void begin(const char* function);
[[nodiscard]] const std::string& current_function();

/// Where a tensor of such code lies on the device; allocates it if it does not yet.
[[nodiscard]] std::byte* address_of(const aclTensor& tensor);

/// A tensor as a kernel gets it: in the shape that its memory has, unless it is the program's own view.
[[nodiscard]] program::CallTensor as_operand(const aclTensor& tensor);

/// A tensor as it is seen, wherever its elements lie.
[[nodiscard]] program::CallTensor as_view(const aclTensor& tensor);

/// Records that the elements of one view go to another, in order. `how` is what the toolkit calls it.
void move(aclOpExecutor* executor, const char* how, program::CallTensor from, program::CallTensor to);

/// Records a launch; returns ACLNN_SUCCESS.
aclnnStatus record(aclOpExecutor* executor, const char* type, std::vector<program::CallArgument> arguments);

/// Gives the outputs of a launch the shapes that the operator's own inference finds.
aclnnStatus infer(aclOpExecutor* executor,
                  const char* type,
                  std::vector<program::CallArgument> arguments,
                  const std::vector<aclTensor*>& outputs);

}  // namespace ascendsim::op_api
