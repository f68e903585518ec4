// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/acl/op_api/call_objects.hpp"

namespace ascendsim::op_api {

/// The executor of a call while its code records; goes to the program in the end.
class ExecutorOwner {
public:
    ExecutorOwner() = default;

    explicit ExecutorOwner(std::unique_ptr<aclOpExecutor> executor) : executor_{std::move(executor)} {}

    /// A new one, for the call that begin() has noted.
    static ExecutorOwner of_call();

    aclOpExecutor* get() const { return executor_.get(); }

    aclOpExecutor* operator->() const { return executor_.get(); }

    aclOpExecutor& operator*() const { return *executor_; }

    /// Makes what is recorded ready, and hands it over.
    void ReleaseTo(aclOpExecutor** to);

private:
    std::unique_ptr<aclOpExecutor> executor_;
};

}  // namespace ascendsim::op_api
