// SPDX-License-Identifier: Apache-2.0
// Devices, contexts, streams and events.
#include <cctype>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

namespace ascendsim::program {
namespace {

aclError check_device(const char* call, std::int32_t id) {
    if (acl_device(call) == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    return id == 0 ? ACL_SUCCESS
                   : acl_failure(ACL_ERROR_RT_INVALID_DEVICEID,
                                 fmt::format("{}: device {}: there is one device, number 0", call, id));
}

/// A handle is the address of a byte of its own; events hold more.
template <class T>
aclError make(const char* call, void** handle) {
    if (handle == nullptr) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: no place for the handle", call));
    }
    *handle = new T;  // NOLINT(cppcoreguidelines-owning-memory): destroyed by the program
    acl_state().handles.insert(*handle);
    return ACL_SUCCESS;
}

template <class T>
aclError destroy(const char* call, void* handle) {
    if (acl_state().handles.erase(handle) == 0) {
        return acl_failure(ACL_ERROR_RT_INVALID_HANDLE,
                           fmt::format("{}: no such handle; was it destroyed before?", call));
    }
    delete static_cast<T*>(handle);  // NOLINT(cppcoreguidelines-owning-memory)
    return ACL_SUCCESS;
}

/// Null is the default stream.
aclError check_handle(const char* call, void* handle, bool may_be_null) {
    if ((handle == nullptr && may_be_null) || acl_state().handles.contains(handle)) {
        return ACL_SUCCESS;
    }
    return acl_failure(ACL_ERROR_RT_INVALID_HANDLE, fmt::format("{}: no such handle", call));
}

struct Stream {
    char byte = 0;
};

struct Context {
    char byte = 0;
};

AclEvent* event_of(const char* call, void* handle) {
    return check_handle(call, handle, false) == ACL_SUCCESS ? static_cast<AclEvent*>(handle) : nullptr;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtSetDevice(int32_t deviceId) {
    return check_device("aclrtSetDevice", deviceId);
}

aclError aclrtResetDevice(int32_t deviceId) {
    return check_device("aclrtResetDevice", deviceId);
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
    return check_device("aclrtResetDeviceForce", deviceId);
}

aclError aclrtGetDevice(int32_t* deviceId) {
    *deviceId = 0;
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    *count = 1;
    return ACL_SUCCESS;
}

aclError aclrtGetRunMode(aclrtRunMode* runMode) {
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeDevice() {
    return check_device("aclrtSynchronizeDevice", 0);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t /*timeout*/) {
    return aclrtSynchronizeDevice();
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
    const aclError made = make<Context>("aclrtCreateContext", context);
    acl_state().context = made == ACL_SUCCESS ? *context : nullptr;
    return made;
}

aclError aclrtDestroyContext(aclrtContext context) {
    acl_state().context = acl_state().context == context ? nullptr : acl_state().context;
    return destroy<Context>("aclrtDestroyContext", context);
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    const aclError error = check_handle("aclrtSetCurrentContext", context, false);
    acl_state().context = error == ACL_SUCCESS ? context : acl_state().context;
    return error;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    *context = acl_state().context;
    return ACL_SUCCESS;
}

aclError aclrtCreateStream(aclrtStream* stream) {
    return make<Stream>("aclrtCreateStream", stream);
}

aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t /*priority*/, uint32_t /*flag*/) {
    return make<Stream>("aclrtCreateStreamWithConfig", stream);
}

aclError aclrtDestroyStream(aclrtStream stream) {
    return destroy<Stream>("aclrtDestroyStream", stream);
}

aclError aclrtDestroyStreamForce(aclrtStream stream) {
    return destroy<Stream>("aclrtDestroyStreamForce", stream);
}

aclError aclrtSynchronizeStream(aclrtStream stream) {
    return check_handle("aclrtSynchronizeStream", stream, true);
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream, int32_t /*timeout*/) {
    return check_handle("aclrtSynchronizeStreamWithTimeout", stream, true);
}

aclError aclrtStreamQuery(aclrtStream stream, aclrtStreamStatus* status) {
    *status = ACL_STREAM_STATUS_COMPLETE;
    return check_handle("aclrtStreamQuery", stream, true);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
    const aclError error = check_handle("aclrtStreamWaitEvent", stream, true);
    return error == ACL_SUCCESS ? check_handle("aclrtStreamWaitEvent", event, false) : error;
}

aclError aclrtCreateEvent(aclrtEvent* event) {
    return make<AclEvent>("aclrtCreateEvent", event);
}

aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
    return make<AclEvent>("aclrtCreateEventWithFlag", event);
}

aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t /*flag*/) {
    return make<AclEvent>("aclrtCreateEventExWithFlag", event);
}

aclError aclrtDestroyEvent(aclrtEvent event) {
    return destroy<AclEvent>("aclrtDestroyEvent", event);
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
    Device* device = acl_device("aclrtRecordEvent");
    AclEvent* const known = event_of("aclrtRecordEvent", event);
    if (device == nullptr || known == nullptr) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *known = {.recorded = true, .time_us = device->now_us()};
    return check_handle("aclrtRecordEvent", stream, true);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream /*stream*/) {
    AclEvent* const known = event_of("aclrtResetEvent", event);
    if (known == nullptr) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *known = {};
    return ACL_SUCCESS;
}

aclError aclrtSynchronizeEvent(aclrtEvent event) {
    return check_handle("aclrtSynchronizeEvent", event, false);
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent event, int32_t /*timeout*/) {
    return check_handle("aclrtSynchronizeEventWithTimeout", event, false);
}

aclError aclrtQueryEventStatus(aclrtEvent event, aclrtEventRecordedStatus* status) {
    const AclEvent* const known = event_of("aclrtQueryEventStatus", event);
    *status = known != nullptr && known->recorded ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                                  : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    return known == nullptr ? ACL_ERROR_RT_INVALID_HANDLE : ACL_SUCCESS;
}

aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
    const AclEvent* const known = event_of("aclrtQueryEvent", event);
    *status = known != nullptr && known->recorded ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
    return known == nullptr ? ACL_ERROR_RT_INVALID_HANDLE : ACL_SUCCESS;
}

aclError aclrtEventElapsedTime(float* ms, aclrtEvent start, aclrtEvent end) {
    const AclEvent* const first = event_of("aclrtEventElapsedTime", start);
    const AclEvent* const last = event_of("aclrtEventElapsedTime", end);
    if (first == nullptr || last == nullptr) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    if (!first->recorded || !last->recorded) {
        return acl_failure(ACL_ERROR_RT_EVENT_RECORDER_NULL,
                           "aclrtEventElapsedTime: an event has not been recorded");
    }
    constexpr double us_per_ms = 1000;
    *ms = static_cast<float>((last->time_us - first->time_us) / us_per_ms);
    return ACL_SUCCESS;
}

aclError aclrtEventGetTimestamp(aclrtEvent event, uint64_t* timestamp) {
    const AclEvent* const known = event_of("aclrtEventGetTimestamp", event);
    if (known == nullptr || !known->recorded) {
        return ACL_ERROR_RT_INVALID_HANDLE;
    }
    *timestamp = static_cast<uint64_t>(known->time_us);
    return ACL_SUCCESS;
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
    static char address = 0;
    *addr = &address;
    return ACL_SUCCESS;
}

}  // extern "C"
