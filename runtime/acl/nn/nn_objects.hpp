// SPDX-License-Identifier: Apache-2.0
// What the handles of aclnn calls point to.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "runtime/acl/include/acl/acl_base.h"
#include "runtime/acl/nn/operator_ask.hpp"

struct aclTensor {
    ascendsim::program::CallTensor value;
};

struct aclTensorList {
    std::vector<const aclTensor*> tensors;
};

struct aclScalar {
    aclDataType type = ACL_FLOAT;
    double real = 0;         // its value
    std::int64_t whole = 0;  // the same, exact for whole types
    bool is_whole = false;
};

struct aclScalarList {
    std::vector<const aclScalar*> scalars;
};

struct aclIntArray {
    std::vector<std::int64_t> values;
};

struct aclFloatArray {
    std::vector<float> values;
};

struct aclBoolArray {
    std::vector<bool> values;
};

struct aclOpExecutor {
    std::string function;
    std::shared_ptr<ascendsim::program::PreparedOperator> prepared;
    bool repeatable = false;
    bool used = false;
};

namespace ascendsim::program {

/// The handles that a program made and has not destroyed. Its functions may be called by any thread.
class LiveHandles {
public:
    /// Notes a handle, and returns it.
    template <class T>
    T* made(T* handle) {
        const std::lock_guard lock{mutex_};
        handles_.insert(handle);
        return handle;
    }

    /// Forgets a handle; false if it is none.
    [[nodiscard]] bool ended(const void* handle) {
        const std::lock_guard lock{mutex_};
        return handles_.erase(handle) != 0;
    }

    [[nodiscard]] bool holds(const void* handle) const {
        const std::lock_guard lock{mutex_};
        return handles_.contains(handle);
    }

private:
    mutable std::mutex mutex_;
    std::unordered_set<const void*> handles_;
};

[[nodiscard]] LiveHandles& live_handles();

}  // namespace ascendsim::program
