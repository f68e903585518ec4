// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/acl/device.hpp"
#include "runtime/acl/include/acl/acl_base.h"

namespace ascendsim::program {

/// What the handle of a stream or an event points to.
struct AclStream {
    StreamNumber number{};
    std::uint32_t flags = 0;
};

/// How an event was created: by aclrtCreateEvent, by aclrtCreateEventWithFlag, by aclrtCreateEventExWithFlag.
enum class EventMaker : std::uint8_t { plain, flag, ex };

struct AclEvent {
    EventNumber number{};
    EventMaker maker = EventMaker::plain;
    std::uint32_t flags = 0;  // of the latter two
};

/// Documented: priorities are 0, the first, to 7.
inline constexpr std::int32_t least_priority = 7;

/// What the handle of a notify points to: a flag of a device, which streams set and take back.
struct AclNotify {
    EventNumber number{};
    std::uint32_t device = 0;
    std::uint32_t id = 0;
};

struct AclContext {
    std::uint32_t device = 0;
};

/// What ACL calls remember of the thread that makes them.
struct AclThread {
    bool bound = false;        // to a device, by the thread itself; that of main has device 0 without a word
    std::uint32_t device = 0;  // current
    void* context = nullptr;
    std::string message;  // of the last failure
    aclError last_error = ACL_SUCCESS;
    bool in_callback = false;
};

/// Memory of tensors within aclnn calls that are under way or done: free for what follows on their stream.
struct LeftMemory {
    std::byte* address = nullptr;
    std::uint64_t bytes = 0;
    StreamNumber stream{};
};

/// What ACL calls remember between them.
struct AclState {
    bool initialised = false;
    std::map<std::uintptr_t, std::size_t> host_memory;  // of aclrtMallocHost: address and bytes
    std::set<void*> streams;                            // handles that exist
    std::set<void*> events;
    std::set<void*> notifies;
    std::set<void*> contexts;
    std::map<std::uint32_t, void*> default_contexts;          // of devices, which threads share
    std::map<std::uint64_t, std::uint32_t> devices;           // of allocations, by their offset
    std::set<std::pair<std::uint32_t, std::uint32_t>> peers;  // {who, whose memory}
    std::uint32_t allocations = 0;
    std::uint32_t notifies_made = 0;
    std::map<int, std::int64_t> settings;  // of aclrtSetSysParamOpt
    std::vector<LeftMemory> left_memory;
    std::optional<StreamNumber> last_operator_stream;
    std::set<std::string> warned;  // what was said once
};

[[nodiscard]] AclState& acl_state();
[[nodiscard]] AclThread& acl_thread();

/// Notes and prints why a call failed; returns `code`.
aclError acl_failure(aclError code, std::string message);

/// The program's device; null (with the failure noted) if there is none on this thread, or if the thread has
/// chosen none. Then the call returns no_device().
[[nodiscard]] Device* acl_device(const char* call);
/// The same for calls that a thread may make before it has chosen one.
[[nodiscard]] Device* acl_process(const char* call);
/// Why acl_device() has just returned null.
[[nodiscard]] aclError no_device();

/// "aclrtMemcpy at main.cpp:12".
[[nodiscard]] std::string at_line(const char* call, Site site);

/// The stream behind a handle, null being the default stream of the current device; nothing (with the failure
/// noted in `error`) if there is no such stream, or if it is another device's.
[[nodiscard]] std::optional<StreamNumber> stream_of(const char* call,
                                                    void* handle,
                                                    aclError& error,
                                                    bool of_any_device = false);

/// The device whose memory holds an address of device memory.
[[nodiscard]] std::uint32_t device_of_memory(Device& device, const void* pointer);

/// True if all of [pointer, pointer + bytes) lies in one device allocation.
[[nodiscard]] bool on_device(Device& device, const void* pointer, std::size_t bytes);

}  // namespace ascendsim::program
