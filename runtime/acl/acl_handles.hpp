// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"

namespace ascendsim::program {

[[nodiscard]] inline aclError no_place(const char* call) {
    return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: no place for the result", call));
}

/// A handle is an address that is no other's.
template <class T>
aclError make(void** handle, std::set<void*>& handles, const T& value) {
    *handle = new T{value};  // NOLINT(cppcoreguidelines-owning-memory): destroyed by the program
    handles.insert(*handle);
    return ACL_SUCCESS;
}

template <class T>
aclError destroy(const char* call, void* handle, std::set<void*>& handles) {
    if (handles.erase(handle) == 0) {
        return acl_failure(ACL_ERROR_RT_INVALID_HANDLE,
                           fmt::format("{}: no such handle; was it destroyed before?", call));
    }
    delete static_cast<T*>(handle);  // NOLINT(cppcoreguidelines-owning-memory)
    return ACL_SUCCESS;
}

[[nodiscard]] inline aclError check_handle(const char* call, void* handle, const std::set<void*>& handles) {
    return handles.contains(handle)
               ? ACL_SUCCESS
               : acl_failure(ACL_ERROR_RT_INVALID_HANDLE, fmt::format("{}: no such handle", call));
}

/// The event of a handle, and the device to ask about it; null with the failure noted.
[[nodiscard]] inline AclEvent* event_of(const char* call, void* handle, aclError& error) {
    error = acl_device(call) == nullptr ? no_device() : check_handle(call, handle, acl_state().events);
    return error == ACL_SUCCESS ? static_cast<AclEvent*>(handle) : nullptr;
}

/// Documented: milliseconds; -1 waits for ever.
[[nodiscard]] inline std::optional<double> timeout_us(std::int32_t timeout) {
    constexpr double us_per_ms = 1000;
    return timeout < 0 ? std::nullopt : std::optional{timeout * us_per_ms};
}

[[nodiscard]] inline aclError result_of(const char* call, WaitResult result, aclError timed_out) {
    switch (result) {
        case WaitResult::ended:
            return ACL_SUCCESS;
        case WaitResult::timed_out:
            return acl_failure(timed_out, fmt::format("{}: not done within the time given", call));
        case WaitResult::aborted:
            return acl_failure(ACL_ERROR_RT_STREAM_ABORT,
                               fmt::format("{}: aclrtStreamAbort has taken away what it waited for", call));
    }
    return ACL_SUCCESS;
}

}  // namespace ascendsim::program
