// SPDX-License-Identifier: Apache-2.0
// The handles of aclnn calls that are alive.
#pragma once

#include <mutex>
#include <unordered_set>

#include "runtime/acl/op_api/call_objects.hpp"

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
