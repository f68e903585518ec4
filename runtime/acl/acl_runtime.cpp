// SPDX-License-Identifier: Apache-2.0
// Devices and contexts.
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_handles.hpp"
#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"

namespace ascendsim::program {
namespace {

aclError check_device(const char* call, std::int32_t id) {
    Device* device = acl_process(call);
    if (device == nullptr) {
        return no_device();
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

aclError synchronise_device(const char* call, std::optional<double> timeout, Site site) {
    Device* device = acl_device(call);
    const aclError error =
        device == nullptr ? no_device() : check_no_capture(call, *device, acl_thread().device);
    return error != ACL_SUCCESS
               ? error
               : result_of(call,
                           device->streams().synchronise_device(acl_thread().device, {call, site}, timeout),
                           ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

/// Documented: the first use of a device makes its default context, which all threads share.
void* default_context(std::uint32_t device) {
    void*& context = acl_state().default_contexts[device];
    if (context == nullptr) {
        make(&context, acl_state().contexts, AclContext{device});
    }
    return context;
}

/// With its device's reset.
void end_default_context(std::uint32_t device) {
    const auto known = acl_state().default_contexts.find(device);
    if (known != acl_state().default_contexts.end()) {
        if (acl_thread().context == known->second) {
            acl_thread().context = nullptr;
        }
        static_cast<void>(destroy<AclContext>("aclrtResetDevice", known->second, acl_state().contexts));
        acl_state().default_contexts.erase(known);
    }
}

aclError set_device(const char* call, std::int32_t id) {
    const aclError error = check_device(call, id);
    if (error == ACL_SUCCESS) {
        AclThread& thread = acl_thread();
        thread.device = static_cast<std::uint32_t>(id);
        thread.bound = true;
        thread.context = default_context(thread.device);
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

/// Documented: waits for what is under way.
aclError aclrtResetDevice(int32_t deviceId) {
    const aclError error = check_device("aclrtResetDevice", deviceId);
    if (error == ACL_SUCCESS) {
        acl_process("aclrtResetDevice")->streams().await_idle({"aclrtResetDevice", {}});
        end_default_context(static_cast<uint32_t>(deviceId));
    }
    return error;
}

aclError aclrtResetDeviceForce(int32_t deviceId) {
    const aclError error = check_device("aclrtResetDeviceForce", deviceId);
    if (error == ACL_SUCCESS) {
        end_default_context(static_cast<uint32_t>(deviceId));
    }
    return error;
}

aclError aclrtGetDevice(int32_t* deviceId) {
    if (deviceId == nullptr) {
        return no_place("aclrtGetDevice");
    }
    if (acl_device("aclrtGetDevice") == nullptr) {
        return no_device();
    }
    *deviceId = static_cast<int32_t>(acl_thread().device);
    return ACL_SUCCESS;
}

aclError aclrtGetDeviceCount(uint32_t* count) {
    Device* device = acl_process("aclrtGetDeviceCount");
    *count = device == nullptr ? 0 : device->streams().device_count();
    return device == nullptr ? no_device() : ACL_SUCCESS;
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
    if (error == ACL_SUCCESS && static_cast<std::uint32_t>(peerDeviceId) == acl_thread().device) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("aclrtDeviceEnablePeerAccess: device {} is the current one, not a peer",
                        peerDeviceId));
    }
    if (error == ACL_SUCCESS) {
        acl_state().peers.insert({acl_thread().device, static_cast<std::uint32_t>(peerDeviceId)});
    }
    return error;
}

aclError aclrtDeviceDisablePeerAccess(int32_t peerDeviceId) {
    const aclError error = check_device("aclrtDeviceDisablePeerAccess", peerDeviceId);
    if (error == ACL_SUCCESS) {
        acl_state().peers.erase({acl_thread().device, static_cast<std::uint32_t>(peerDeviceId)});
    }
    return error;
}

aclError aclrtDeviceGetStreamPriorityRange(int32_t* leastPriority, int32_t* greatestPriority) {
    if (leastPriority == nullptr || greatestPriority == nullptr) {
        return no_place("aclrtDeviceGetStreamPriorityRange");
    }
    *leastPriority = least_priority;
    *greatestPriority = 0;
    return ACL_SUCCESS;
}

const char* aclrtGetSocName() {
    static std::string name;
    Device* device = acl_process("aclrtGetSocName");
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
    Device* device = acl_process("aclrtGetDeviceInfo");
    if (device == nullptr) {
        return no_device();
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
            Device* device = acl_process("aclGetDeviceCapability");
            if (device == nullptr) {
                return no_device();
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
    acl_thread().device = static_cast<std::uint32_t>(deviceId);
    acl_thread().bound = true;
    make(context, acl_state().contexts, AclContext{acl_thread().device});
    acl_thread().context = *context;
    return ACL_SUCCESS;
}

/// Documented: the default context goes with its device.
aclError aclrtDestroyContext(aclrtContext context) {
    for (const auto& [device, known] : acl_state().default_contexts) {
        if (context != nullptr && known == context) {
            return acl_failure(
                ACL_ERROR_RT_PARAM_INVALID,
                fmt::format("aclrtDestroyContext: the default context of device {}; aclrtResetDevice ends it",
                            device));
        }
    }
    acl_thread().context = acl_thread().context == context ? nullptr : acl_thread().context;
    return destroy<AclContext>("aclrtDestroyContext", context, acl_state().contexts);
}

aclError aclrtSetCurrentContext(aclrtContext context) {
    const aclError error = check_handle("aclrtSetCurrentContext", context, acl_state().contexts);
    if (error == ACL_SUCCESS) {
        acl_thread().context = context;
        acl_thread().device = static_cast<AclContext*>(context)->device;
        acl_thread().bound = true;
    }
    return error;
}

aclError aclrtGetCurrentContext(aclrtContext* context) {
    if (context == nullptr) {
        return no_place("aclrtGetCurrentContext");
    }
    if (acl_device("aclrtGetCurrentContext") == nullptr) {
        return no_device();
    }
    AclThread& thread = acl_thread();
    if (!acl_state().contexts.contains(thread.context)) {  // that of main, which has device 0 without a word
        thread.context = default_context(thread.device);
    }
    *context = thread.context;
    return ACL_SUCCESS;
}

aclError aclrtGetHardwareSyncAddr(void** addr) {
    static char address = 0;
    *addr = &address;
    return ACL_SUCCESS;
}

}  // extern "C"
