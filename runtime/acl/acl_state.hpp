// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "runtime/acl/device.hpp"
#include "runtime/acl/include/acl/acl_base.h"

namespace ascendsim::program {

struct AclEvent {
    bool recorded = false;
    double time_us = 0;
};

/// What ACL calls remember between them.
struct AclState {
    bool initialised = false;
    std::int32_t device = 0;
    std::string message;  // of the last failure
    aclError last_error = ACL_SUCCESS;
    std::set<void*> host_memory;  // of aclrtMallocHost
    std::set<void*> handles;      // streams, events and contexts that exist
    void* context = nullptr;
    std::uint32_t allocations = 0;
};

[[nodiscard]] AclState& acl_state();

/// Notes and prints why a call failed; returns `code`.
aclError acl_failure(aclError code, std::string message);

/// The program's device; null (with the failure noted) if there is none here.
[[nodiscard]] Device* acl_device(const char* call);

/// Copies; `kind` is checked against where the two addresses are. Shared by the synchronous and asynchronous
/// calls.
aclError acl_copy(const char* call,
                  void* to,
                  std::size_t room,
                  const void* from,
                  std::size_t bytes,
                  aclrtMemcpyKind kind,
                  Site site);

/// True if all of [pointer, pointer + bytes) lies in one device allocation.
[[nodiscard]] bool on_device(Device& device, const void* pointer, std::size_t bytes);

}  // namespace ascendsim::program
