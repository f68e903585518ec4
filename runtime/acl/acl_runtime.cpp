// SPDX-License-Identifier: Apache-2.0
// Devices, contexts, streams and events.
#include <cctype>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

namespace ascendsim::program {
namespace {

aclError check_device(const char* call, std::int32_t id) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    const std::uint32_t count = device->streams().device_count();
    return id >= 0 && static_cast<std::uint32_t>(id) < count
               ? ACL_SUCCESS
               : acl_failure(
                     ACL_ERROR_RT_INVALID_DEVICEID,
                     count == 1
                         ? fmt::format("{}: device {}: there is one device, number 0", call, id)
                         : fmt::format("{}: device {}: there are devices 0 to {}", call, id, count - 1));
}

aclError no_place(const char* call) {
    return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: no place for the handle", call));
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

aclError check_handle(const char* call, void* handle, const std::set<void*>& handles) {
    return handles.contains(handle)
               ? ACL_SUCCESS
               : acl_failure(ACL_ERROR_RT_INVALID_HANDLE, fmt::format("{}: no such handle", call));
}

/// The event of a handle, and the device to ask about it; nothing with the failure noted.
std::optional<EventNumber> event_of(const char* call, void* handle, aclError& error) {
    error =
        acl_device(call) == nullptr ? ACL_ERROR_UNINITIALIZE : check_handle(call, handle, acl_state().events);
    if (error != ACL_SUCCESS) {
        return std::nullopt;
    }
    return static_cast<AclEvent*>(handle)->number;
}

aclError make_stream(const char* call, void** handle) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    return handle == nullptr ? no_place(call)
                             : make(handle,
                                    acl_state().streams,
                                    AclStream{device->streams().create_stream(acl_state().device)});
}

aclError make_event(const char* call, void** handle, bool captures) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    return handle == nullptr
               ? no_place(call)
               : make(handle, acl_state().events, AclEvent{device->streams().create_event(captures)});
}

/// Documented: milliseconds; -1 waits for ever.
std::optional<double> timeout_us(std::int32_t timeout) {
    constexpr double us_per_ms = 1000;
    return timeout < 0 ? std::nullopt : std::optional{timeout * us_per_ms};
}

aclError result_of(const char* call, WaitResult result, aclError timed_out) {
    return result == WaitResult::ended
               ? ACL_SUCCESS
               : acl_failure(timed_out, fmt::format("{}: not done within the time given", call));
}

aclError synchronise_stream(const char* call, void* handle, std::optional<double> timeout, Site site) {
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> stream = stream_of(call, handle, error, true);
    return stream ? result_of(call,
                              acl_device(call)->streams().synchronise(*stream, {call, site}, timeout),
                              ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
                  : error;
}

aclError synchronise_event(const char* call, void* handle, std::optional<double> timeout, Site site) {
    aclError error = ACL_SUCCESS;
    const std::optional<EventNumber> event = event_of(call, handle, error);
    return event ? result_of(call,
                             acl_device(call)->streams().synchronise(*event, {call, site}, timeout),
                             ACL_ERROR_RT_EVENT_SYNC_TIMEOUT)
                 : error;
}

aclError synchronise_device(const char* call, std::optional<double> timeout, Site site) {
    Device* device = acl_device(call);
    return device == nullptr
               ? ACL_ERROR_UNINITIALIZE
               : result_of(call,
                           device->streams().synchronise_device(acl_state().device, {call, site}, timeout),
                           ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

aclError set_device(const char* call, std::int32_t id) {
    const aclError error = check_device(call, id);
    if (error == ACL_SUCCESS) {
        acl_state().device = static_cast<std::uint32_t>(id);
    }
    return error;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
    return set_device("aclrtSetDevice", deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
    return check_device("aclrtResetDevice", deviceId);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
    return check_device("aclrtResetDeviceForce", deviceId);
}

aclError aclrtGetDevice(int32_t* deviceId) {
    *deviceId = static_cast<int32_t>(acl_state().device);
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    Device* device = acl_device("aclrtGetDeviceCount");
    *count = device == nullptr ? 0 : device->streams().device_count();
    return device == nullptr ? ACL_ERROR_UNINITIALIZE : ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice(ascendsim::Site site) {
    return synchronise_device("aclrtSynchronizeDevice", std::nullopt, site);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout, ascendsim::Site site) {
    return synchronise_device("aclrtSynchronizeDeviceWithTimeout", timeout_us(timeout), site);
}

aclError aclrtDeviceCanAccessPeer(int32_t* canAccessPeer, int32_t deviceId, int32_t peerDeviceId) {
    for (const int32_t id : {deviceId, peerDeviceId}) {
        if (const aclError error = check_device("aclrtDeviceCanAccessPeer", id); error != ACL_SUCCESS) {
            return error;
        }
    }
    *canAccessPeer = deviceId != peerDeviceId ? 1 : 0;
    return ACL_SUCCESS;
}

aclError aclrtDeviceEnablePeerAccess(int32_t peerDeviceId, uint32_t /*flags*/) {
    const aclError error = check_device("aclrtDeviceEnablePeerAccess", peerDeviceId);
    if (error == ACL_SUCCESS) {
        acl_state().peers.insert({acl_state().device, static_cast<std::uint32_t>(peerDeviceId)});
    }
    return error;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
    const aclError error = check_device("aclrtDeviceDisablePeerAccess", peerDeviceId);
    if (error == ACL_SUCCESS) {
        acl_state().peers.erase({acl_state().device, static_cast<std::uint32_t>(peerDeviceId)});
    }
    return error;
}

const char* aclrtGetSocName() {
    static std::string name;
    Device* device = acl_device("aclrtGetSocName");
    if (device == nullptr) {
        return nullptr;
    }
    name = "Ascend";
    for (const char letter : device->chip().name) {
        name += static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
    }
    return name.c_str();
}

aclError aclrtGetDeviceInfo(uint32_t /*deviceId*/, aclrtDevAttr attr, int64_t* value) {
    Device* device = acl_device("aclrtGetDeviceInfo");
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    const ascendsim::CoresSpec& cores = device->chip().cores;
    switch (attr) {
        case ACL_DEV_ATTR_AICPU_CORE_NUM:
            *value = 0;
            break;
        case ACL_DEV_ATTR_AICORE_CORE_NUM:
        case ACL_DEV_ATTR_CUBE_CORE_NUM:
            *value = cores.aic;
            break;
        case ACL_DEV_ATTR_VECTOR_CORE_NUM:
            *value = cores.split ? cores.aiv : 0;
            break;
    }
    return ACL_SUCCESS;
}

aclError aclGetDeviceCapability(uint32_t deviceId, aclDeviceInfo deviceInfo, int64_t* value) {
    switch (deviceInfo) {
        case ACL_DEVICE_INFO_AI_CORE_NUM:
            return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_AICORE_CORE_NUM, value);
        case ACL_DEVICE_INFO_VECTOR_CORE_NUM:
            return aclrtGetDeviceInfo(deviceId, ACL_DEV_ATTR_VECTOR_CORE_NUM, value);
        case ACL_DEVICE_INFO_L2_SIZE: {
            Device* device = acl_device("aclGetDeviceCapability");
            if (device == nullptr) {
                return ACL_ERROR_UNINITIALIZE;
            }
            *value = static_cast<int64_t>(device->chip().l2.bytes);
            return ACL_SUCCESS;
        }
        case ACL_DEVICE_INFO_UNDEFINED:
            break;
    }
    return ACL_ERROR_INVALID_PARAM;
}

aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
    const aclError error = check_device("aclrtCreateContext", deviceId);
    if (error != ACL_SUCCESS) {
        return error;
    }
    if (context == nullptr) {
        return no_place("aclrtCreateContext");
    }
    acl_state().device = static_cast<std::uint32_t>(deviceId);
    make(context, acl_state().contexts, AclContext{acl_state().device});
    acl_state().context = *context;
    return ACL_SUCCESS;
}

aclError aclrtDestroyContext(aclrtContext context) {
    acl_state().context = acl_state().context == context ? nullptr : acl_state().context;
    return destroy<AclContext>("aclrtDestroyContext", context, acl_state().contexts);
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    const aclError error = check_handle("aclrtSetCurrentContext", context, acl_state().contexts);
    if (error == ACL_SUCCESS) {
        acl_state().context = context;
        acl_state().device = static_cast<AclContext*>(context)->device;
    }
    return error;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    *context = acl_state().context;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) {
    return make_stream("aclrtCreateStream", stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/, uint32_t /*flag*/) {
    return make_stream("aclrtCreateStreamWithConfig", stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return destroy<AclStream>("aclrtDestroyStream", stream, acl_state().streams);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return destroy<AclStream>("aclrtDestroyStreamForce", stream, acl_state().streams);
}

aclError aclrtSynchronizeStream(aclrtStream stream, ascendsim::Site site) {
    return synchronise_stream("aclrtSynchronizeStream", stream, std::nullopt, site);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t timeout, ascendsim::Site site) {
    return synchronise_stream("aclrtSynchronizeStreamWithTimeout", stream, timeout_us(timeout), site);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status, ascendsim::Site site) {
    const char* call = "aclrtStreamQuery";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error, true);
    if (number) {
        *status = acl_device(call)->streams().done(*number, {call, site}) ? ACL_STREAM_STATUS_COMPLETE
                                                                          : ACL_STREAM_STATUS_NOT_READY;
    }
    return error;
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event, ascendsim::Site site) {
    const char* call = "aclrtStreamWaitEvent";
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> number = stream_of(call, stream, error);
    if (!number) {
        return error;
    }
    if (const std::optional<EventNumber> awaited = event_of(call, event, error)) {
        acl_device(call)->streams().wait(*number, *awaited, {call, site});
    }
    return error;
}

aclError aclrtCreateEvent(aclrtEvent* event) {
    return make_event("aclrtCreateEvent", event, false);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
    return make_event("aclrtCreateEventWithFlag", event, false);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
    return make_event("aclrtCreateEventExWithFlag", event, true);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    return destroy<AclEvent>("aclrtDestroyEvent", event, acl_state().events);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream, ascendsim::Site site) {
    const char* call = "aclrtRecordEvent";
    aclError error = ACL_SUCCESS;
    const std::optional<EventNumber> number = event_of(call, event, error);
    if (!number) {
        return error;
    }
    if (const std::optional<StreamNumber> of = stream_of(call, stream, error)) {
        acl_device(call)->streams().record(*number, *of, {call, site});
    }
    return error;
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream /*stream*/) {
    aclError error = ACL_SUCCESS;
    if (const std::optional<EventNumber> number = event_of("aclrtResetEvent", event, error)) {
        acl_device("aclrtResetEvent")->streams().reset(*number);
    }
    return error;
}

aclError aclrtSynchronizeEvent(aclrtEvent event, ascendsim::Site site) {
    return synchronise_event("aclrtSynchronizeEvent", event, std::nullopt, site);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t timeout, ascendsim::Site site) {
    return synchronise_event("aclrtSynchronizeEventWithTimeout", event, timeout_us(timeout), site);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status, ascendsim::Site site) {
    const char* call = "aclrtQueryEventStatus";
    aclError error = ACL_SUCCESS;
    const std::optional<EventNumber> number = event_of(call, event, error);
    *status = number && acl_device(call)->streams().done(*number, {call, site})
                  ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                  : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return error;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status, ascendsim::Site site) {
    aclrtEventRecordedStatus recorded = ACL_EVENT_RECORDED_STATUS_NOT_READY;
    const aclError error = aclrtQueryEventStatus(event, &recorded, site);
    *status = recorded == ACL_EVENT_RECORDED_STATUS_COMPLETE ? ACL_EVENT_STATUS_COMPLETE
                                                             : ACL_EVENT_STATUS_NOT_READY;
    return error;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
    const char* call = "aclrtEventElapsedTime";
    aclError error = ACL_SUCCESS;
    const std::optional<EventNumber> first = event_of(call, start, error);
    const std::optional<EventNumber> last = first ? event_of(call, end, error) : std::nullopt;
    if (!last) {
        return error;
    }
    const std::optional<double> from = acl_device(call)->streams().time_us(*first);
    const std::optional<double> to = acl_device(call)->streams().time_us(*last);
    if (!from || !to) {
        return acl_failure(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                           "aclrtEventElapsedTime: an event has not been recorded");
    }
    constexpr double us_per_ms = 1000;
    *ms = static_cast<float>((*to - *from) / us_per_ms);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
    aclError error = ACL_SUCCESS;
    const std::optional<EventNumber> number = event_of("aclrtEventGetTimestamp", event, error);
    if (!number) {
        return error;
    }
    const std::optional<double> time = acl_device("aclrtEventGetTimestamp")->streams().time_us(*number);
    if (!time) {
        return acl_failure(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                           "aclrtEventGetTimestamp: the event has not been recorded");
    }
    *timestamp = static_cast<uint64_t>(*time);
    return ACL_SUCCESS;
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
    static char address = 0;
    *addr = &address;
    return ACL_SUCCESS;
}

}  // extern "C"
