// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::program {

bool on_device(Device& device, const void* pointer, std::size_t bytes) {
    const isa::GlobalMemory& memory = device.memory();
    if (!memory.owns(pointer)) {
        return false;
    }
    const std::uint64_t offset = memory.offset_of(pointer);
    const isa::GlobalBuffer* buffer = memory.find(offset);
    return buffer != nullptr && offset - buffer->offset + bytes <= buffer->bytes;
}

namespace {

std::string at(const char* call, Site site) {
    return fmt::format("{} at {}:{}", call, site.file, site.line);
}

/// What is wrong with one end of a copy; empty if nothing is.
std::string wrong_end(
    Device& device, const void* pointer, std::size_t bytes, bool wants_device, const char* end) {
    const bool owned = device.memory().owns(pointer);
    if (wants_device && !owned) {
        return fmt::format("the {} is host memory, the kind of copy says device memory", end);
    }
    if (!wants_device && owned) {
        return fmt::format("the {} is device memory, the kind of copy says host memory", end);
    }
    if (owned && !on_device(device, pointer, bytes)) {
        return fmt::format("the {}'s {} bytes reach beyond its allocation, or it was freed", end, bytes);
    }
    return {};
}

}  // namespace

aclError acl_copy(const char* call,
                  void* to,
                  std::size_t room,
                  const void* from,
                  std::size_t bytes,
                  aclrtMemcpyKind kind,
                  Site site) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    if (bytes == 0) {
        return ACL_SUCCESS;
    }
    if (to == nullptr || from == nullptr || bytes > room) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           bytes > room
                               ? fmt::format("{}: {} bytes do not fit into {}", at(call, site), bytes, room)
                               : fmt::format("{}: an address is null", at(call, site)));
    }
    const bool any = kind == ACL_MEMCPY_DEFAULT;
    const bool to_device = any ? device->memory().owns(to)
                               : kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    const bool from_device = any ? device->memory().owns(from)
                                 : kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    for (const std::string& wrong : {wrong_end(*device, to, bytes, to_device, "destination"),
                                     wrong_end(*device, from, bytes, from_device, "source")}) {
        if (!wrong.empty()) {
            return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: {}", at(call, site), wrong));
        }
    }
    std::memmove(to, from, bytes);
    if (from_device && !to_device) {
        device->host_reads(device->memory().offset_of(from), bytes);
    }
    if (to_device) {
        device->host_wrote(device->memory().offset_of(to), bytes);
    }
    return ACL_SUCCESS;
}

namespace {

/// Documented: aclrtMalloc rounds a size up to 32 bytes and adds 32 more, aclrtMallocAlign32 adds none.
/// Kernels that look at the entry behind the last one rely on it.
constexpr std::size_t tail_bytes = 32;

aclError allocate(const char* call, void** pointer, std::size_t bytes, std::size_t tail, Site site) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    if (pointer == nullptr || bytes == 0) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("{}: {}", at(call, site), bytes == 0 ? "0 bytes" : "no place for the address"));
    }
    try {
        const std::string_view file{site.file};
        const std::string name = fmt::format("memory {} of {}:{}",
                                             ++acl_state().allocations,
                                             file.substr(file.find_last_of('/') + 1),
                                             site.line);
        *pointer = device->memory().allocate(name, round_up<std::size_t>(bytes, 32) + tail);
    } catch (const UserError& error) {
        *pointer = nullptr;
        return acl_failure(ACL_ERROR_RT_MEMORY_ALLOCATION,
                           fmt::format("{}: {}", at(call, site), error.what()));
    }
    device->host_forgot(device->memory().offset_of(*pointer), round_up<std::size_t>(bytes, 32) + tail);
    return ACL_SUCCESS;
}

aclError set_bytes(
    const char* call, void* to, std::size_t room, std::int32_t value, std::size_t bytes, Site site) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    std::string wrong =
        bytes > room ? fmt::format("{} bytes do not fit into {}", bytes, room) : std::string{};
    if (wrong.empty() && device->memory().owns(to) && !on_device(*device, to, bytes)) {
        wrong = fmt::format("{} bytes reach beyond the allocation, or it was freed", bytes);
    }
    if (wrong.empty() && to == nullptr) {
        wrong = "the address is null";
    }
    if (!wrong.empty()) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID, fmt::format("{}: {}", at(call, site), wrong));
    }
    std::memset(to, value, bytes);
    if (device->memory().owns(to)) {
        device->host_wrote(device->memory().offset_of(to), bytes);
    }
    return ACL_SUCCESS;
}

}  // namespace
}  // namespace ascendsim::program

using namespace ascendsim::program;  // NOLINT(google-build-using-namespace): the functions below are C

extern "C" {

aclError aclrtMalloc(void** devPtr, size_t size, aclrtMemMallocPolicy /*policy*/, ascendsim::Site site) {
    return allocate("aclrtMalloc", devPtr, size, tail_bytes, site);
}

aclError aclrtMallocAlign32(void** devPtr,
                            size_t size,
                            aclrtMemMallocPolicy /*policy*/,
                            ascendsim::Site site) {
    return allocate("aclrtMallocAlign32", devPtr, size, 0, site);
}

aclError aclrtMallocCached(void** devPtr,
                           size_t size,
                           aclrtMemMallocPolicy /*policy*/,
                           ascendsim::Site site) {
    return allocate("aclrtMallocCached", devPtr, size, tail_bytes, site);
}

aclError aclrtFree(void* devPtr, ascendsim::Site site) {
    Device* device = acl_device("aclrtFree");
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    if (devPtr == nullptr || !device->memory().owns(devPtr)) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: {}",
                                       at("aclrtFree", site),
                                       devPtr == nullptr ? "the address is null" : "this is host memory"));
    }
    const ascendsim::isa::GlobalBuffer* buffer = device->memory().find(device->memory().offset_of(devPtr));
    if (buffer == nullptr || buffer->offset != device->memory().offset_of(devPtr)) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: no allocation starts at this address; was it freed before?",
                                       at("aclrtFree", site)));
    }
    device->memory().release(static_cast<std::byte*>(devPtr));
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    *hostPtr =
        std::malloc(size);  // NOLINT(cppcoreguidelines-no-malloc): the caller frees it with aclrtFreeHost
    if (*hostPtr == nullptr) {
        return acl_failure(ACL_ERROR_BAD_ALLOC, "aclrtMallocHost: the host has no memory left");
    }
    acl_state().host_memory.insert(*hostPtr);
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
    if (acl_state().host_memory.erase(hostPtr) == 0) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtFreeHost: the address is none of aclrtMallocHost, or was freed before");
    }
    std::free(hostPtr);  // NOLINT(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(
    void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, ascendsim::Site site) {
    return acl_copy("aclrtMemcpy", dst, destMax, src, count, kind, site);
}

aclError aclrtMemcpyAsync(void* dst,
                          size_t destMax,
                          const void* src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream /*stream*/,
                          ascendsim::Site site) {
    return acl_copy("aclrtMemcpyAsync", dst, destMax, src, count, kind, site);
}

aclError aclrtMemcpy2d(void* dst,
                       size_t dpitch,
                       const void* src,
                       size_t spitch,
                       size_t width,
                       size_t height,
                       aclrtMemcpyKind kind,
                       ascendsim::Site site) {
    for (size_t row = 0; row < height; ++row) {
        const aclError error = acl_copy("aclrtMemcpy2d",
                                        static_cast<char*>(dst) + row * dpitch,
                                        dpitch,
                                        static_cast<const char*>(src) + row * spitch,
                                        width,
                                        kind,
                                        site);
        if (error != ACL_SUCCESS) {
            return error;
        }
    }
    return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count, ascendsim::Site site) {
    return set_bytes("aclrtMemset", devPtr, maxCount, value, count, site);
}

aclError aclrtMemsetAsync(void* devPtr,
                          size_t maxCount,
                          int32_t value,
                          size_t count,
                          aclrtStream /*stream*/,
                          ascendsim::Site site) {
    return set_bytes("aclrtMemsetAsync", devPtr, maxCount, value, count, site);
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
    Device* device = acl_device("aclrtGetMemInfo");
    if (device == nullptr) {
        return ACL_ERROR_UNINITIALIZE;
    }
    *total = device->chip().hbm.bytes;
    *free = *total;
    for (const ascendsim::isa::GlobalBuffer& buffer : device->memory().buffers()) {
        *free -= buffer.bytes;
    }
    return ACL_SUCCESS;
}

aclError aclrtMemFlush(void* /*devPtr*/, size_t /*size*/) {
    return ACL_SUCCESS;
}

aclError aclrtMemInvalidate(void* /*devPtr*/, size_t /*size*/) {
    return ACL_SUCCESS;
}

}  // extern "C"
