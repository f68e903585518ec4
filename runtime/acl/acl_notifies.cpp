// SPDX-License-Identifier: Apache-2.0
// Notifies: flags that one stream sets and another takes back.
#include <optional>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_handles.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

namespace ascendsim::program {
namespace {

/// The notify of a handle, and the stream of a call with it; null with the failure noted.
const AclNotify* notify_of(
    const char* call, void* handle, void* stream, std::optional<StreamNumber>& number, aclError& error) {
    error = acl_device(call) == nullptr ? no_device() : check_handle(call, handle, acl_state().notifies);
    if (error != ACL_SUCCESS) {
        return nullptr;
    }
    number = stream_of(call, stream, error, true);
    if (!number) {
        return nullptr;
    }
    error = check_group(call, *acl_device(call), *number, false);
    return error == ACL_SUCCESS ? static_cast<const AclNotify*>(handle) : nullptr;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtCreateNotify(aclrtNotify* notify, uint64_t flag) {
    const char* call = "aclrtCreateNotify";
    Device* device = acl_device(call);
    if (device == nullptr) {
        return no_device();
    }
    if (notify == nullptr) {
        return no_place(call);
    }
    if (flag != ACL_NOTIFY_DEFAULT) {
        return acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
                           fmt::format("{}: flag {}: notifies that the device alone uses are not simulated; "
                                       "ACL_NOTIFY_DEFAULT (0) is",
                                       call,
                                       flag));
    }
    return make(notify,
                acl_state().notifies,
                AclNotify{device->streams().create_flag(), acl_thread().device, acl_state().notifies_made++});
}

aclError aclrtDestroyNotify(aclrtNotify notify) {
    return destroy<AclNotify>("aclrtDestroyNotify", notify, acl_state().notifies);
}

aclError aclrtRecordNotify(aclrtNotify notify, aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclrtRecordNotify";
    aclError error = ACL_SUCCESS;
    std::optional<StreamNumber> number;
    const AclNotify* recorded = notify_of(call, notify, stream, number, error);
    if (recorded == nullptr) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    const std::uint32_t from = streams.device_of(*number);
    const auto& peers = acl_state().peers;
    if (from != recorded->device && !peers.contains({from, recorded->device}) &&
        !peers.contains({recorded->device, from})) {
        return acl_failure(
            ACL_ERROR_RT_STREAM_CONTEXT,
            fmt::format("{}: the notify is one of device {}, the stream one of device {}, which "
                        "has no access: call aclrtDeviceEnablePeerAccess",
                        at_line(call, site),
                        recorded->device,
                        from));
    }
    streams.record(recorded->number, *number, {call, site});
    return ACL_SUCCESS;
}

aclError aclrtWaitAndResetNotify(aclrtNotify notify,
                                 aclrtStream stream,
                                 uint32_t /*timeout*/,
                                 ascendsim::Site site) {
    const char* call = "aclrtWaitAndResetNotify";
    aclError error = ACL_SUCCESS;
    std::optional<StreamNumber> number;
    const AclNotify* awaited = notify_of(call, notify, stream, number, error);
    if (awaited == nullptr) {
        return error;
    }
    Streams& streams = acl_device(call)->streams();
    if (const std::uint32_t of = streams.device_of(*number); of != awaited->device) {
        return acl_failure(
            ACL_ERROR_RT_STREAM_CONTEXT,
            fmt::format("{}: the notify is one of device {}, and streams of that device alone wait for it; "
                        "this one is of device {}",
                        at_line(call, site),
                        awaited->device,
                        of));
    }
    streams.wait_and_reset(*number, awaited->number, {call, site});
    return ACL_SUCCESS;
}

aclError aclrtGetNotifyId(aclrtNotify notify, uint32_t* notifyId) {
    const char* call = "aclrtGetNotifyId";
    if (notifyId == nullptr) {
        return no_place(call);
    }
    const aclError error = check_handle(call, notify, acl_state().notifies);
    if (error == ACL_SUCCESS) {
        *notifyId = static_cast<const AclNotify*>(notify)->id;
    }
    return error;
}

}  // extern "C"
