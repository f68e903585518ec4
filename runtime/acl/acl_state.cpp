// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/acl_state.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "models/numbers/half.hpp"
#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/include/acl/acl.h"

namespace ascendsim::program {

namespace {

/// True while the thread captures a stream in a mode that is not relaxed.
bool captures_here(Device& device) {
    return capture_mode() != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
           std::ranges::any_of(captures(), [&](const auto& entry) {
               return entry.second.mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
                      entry.second.thread == device.threads().current();
           });
}

}  // namespace

AclState& acl_state() {
    static AclState state;
    return state;
}

AclThread& acl_thread() {
    thread_local AclThread thread;
    return thread;
}

aclError acl_failure(aclError code, std::string message) {
    std::fflush(stdout);
    std::fprintf(stderr, "ascendsim: %s (error %d)\n", message.c_str(), code);
    acl_thread().message = std::move(message);
    acl_thread().last_error = code;
    return code;
}

Device* acl_process(const char* call) {
    Device* device = current_device();
    if (device == nullptr || !device->on_host_thread()) {
        acl_failure(ACL_ERROR_UNINITIALIZE,
                    std::string{call} +
                        ": only threads that the program's own code starts have devices, while main runs");
        return nullptr;
    }
    return device;
}

Device* acl_device(const char* call) {
    Device* device = acl_process(call);
    if (device == nullptr) {
        return nullptr;
    }
    AclThread& thread = acl_thread();
    if (!thread.bound && device->threads().current() != ThreadNumber{}) {
        acl_failure(ACL_ERROR_RT_CONTEXT_NULL,
                    fmt::format("{}: this thread has no device yet; call aclrtSetDevice or "
                                "aclrtSetCurrentContext in each thread",
                                call));
        return nullptr;
    }
    if (thread.in_callback && acl_state().warned.insert(std::string{"in a callback: "} + call).second) {
        std::fflush(stdout);
        std::fprintf(
            stderr,
            "ascendsim: %s in a callback: on the chip, calls that take or free resources, put work on "
            "streams or wait may fail or never return there\n",
            call);
    }
    return device;
}

aclError no_device() {
    return acl_thread().last_error;
}

std::string at_line(const char* call, Site site) {
    return site.line == 0 ? std::string{call} : fmt::format("{} at {}:{}", call, site.file, site.line);
}

std::optional<StreamNumber> stream_of(const char* call, void* handle, aclError& error, bool of_any_device) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        error = no_device();
        return std::nullopt;
    }
    const std::uint32_t current = acl_thread().device;
    if (handle == nullptr && captures_here(*device)) {
        error = acl_failure(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
                            fmt::format("{}: the default stream is not to be used while this thread captures "
                                        "one",
                                        call));
        return std::nullopt;
    }
    if (handle == nullptr) {
        return device->streams().default_stream(current);
    }
    if (!acl_state().streams.contains(handle)) {
        error = acl_failure(ACL_ERROR_RT_INVALID_HANDLE,
                            fmt::format("{}: no such stream; was it destroyed before?", call));
        return std::nullopt;
    }
    const StreamNumber number = static_cast<AclStream*>(handle)->number;
    const std::uint32_t owner = device->streams().device_of(number);
    if (owner != current && !of_any_device) {
        error = acl_failure(ACL_ERROR_RT_STREAM_CONTEXT,
                            fmt::format("{}: the stream is one of device {}, the current device is {}; call "
                                        "aclrtSetDevice({}) before",
                                        call,
                                        owner,
                                        current,
                                        owner));
        return std::nullopt;
    }
    return number;
}

std::uint32_t device_of_memory(Device& device, const void* pointer) {
    const isa::GlobalBuffer* buffer = device.memory().find(device.memory().offset_of(pointer));
    const auto known =
        buffer == nullptr ? acl_state().devices.end() : acl_state().devices.find(buffer->offset);
    return known == acl_state().devices.end() ? 0 : known->second;
}

}  // namespace ascendsim::program

using ascendsim::program::acl_device;
using ascendsim::program::acl_failure;
using ascendsim::program::acl_state;
using ascendsim::program::acl_thread;

extern "C" {

aclError aclInit(const char* /*configPath*/) {
    if (acl_state().initialised) {
        return acl_failure(ACL_ERROR_REPEAT_INITIALIZE, "aclInit: called twice without aclFinalize");
    }
    acl_state().initialised = true;
    return ACL_SUCCESS;
}

aclError aclFinalize() {
    if (!acl_state().initialised) {
        return acl_failure(ACL_ERROR_UNINITIALIZE, "aclFinalize: called without aclInit");
    }
    acl_state().initialised = false;
    return ACL_SUCCESS;
}

const char* aclGetRecentErrMsg() {
    thread_local std::string shown;
    shown = std::exchange(acl_thread().message, {});
    return shown.empty() ? nullptr : shown.c_str();
}

aclError aclrtGetLastError(aclrtLastErrLevel /*level*/) {
    return std::exchange(acl_thread().last_error, ACL_SUCCESS);
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel /*level*/) {
    return acl_thread().last_error;
}

aclError aclrtGetVersion(int32_t* majorVersion, int32_t* minorVersion, int32_t* patchVersion) {
    *majorVersion = 1;
    *minorVersion = 0;
    *patchVersion = 0;
    return ACL_SUCCESS;
}

size_t aclDataTypeSize(aclDataType dataType) {
    switch (dataType) {
        case ACL_INT8:
        case ACL_UINT8:
        case ACL_BOOL:
        case ACL_HIFLOAT8:
        case ACL_FLOAT8_E5M2:
        case ACL_FLOAT8_E4M3FN:
        case ACL_FLOAT8_E8M0:
            return 1;
        case ACL_FLOAT16:
        case ACL_BF16:
        case ACL_INT16:
        case ACL_UINT16:
            return 2;
        case ACL_FLOAT:
        case ACL_INT32:
        case ACL_UINT32:
        case ACL_COMPLEX32:
            return 4;
        case ACL_INT64:
        case ACL_UINT64:
        case ACL_DOUBLE:
        case ACL_COMPLEX64:
            return 8;
        case ACL_COMPLEX128:
            return 16;
        case ACL_DT_UNDEFINED:
        case ACL_STRING:
        case ACL_INT4:
        case ACL_UINT1:
        case ACL_FLOAT6_E3M2:
        case ACL_FLOAT6_E2M3:
        case ACL_FLOAT4_E2M1:
        case ACL_FLOAT4_E1M2:
            return 0;
    }
    return 0;
}

float aclFloat16ToFloat(aclFloat16 value) {
    return ascendsim::numbers::HalfFormat::to_float(value);
}

aclFloat16 aclFloatToFloat16(float value) {
    return ascendsim::numbers::HalfFormat::from_float(value);
}

}  // extern "C"
