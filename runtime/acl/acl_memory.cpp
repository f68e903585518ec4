// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "runtime/acl/acl_captures.hpp"
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
    return buffer != nullptr && bytes <= buffer->bytes - (offset - buffer->offset);
}

namespace {

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

/// The ends of a copy: where its addresses are.
struct CopyEnds {
    bool to_device = false;
    bool from_device = false;
};

CopyEnds ends_of(Device& device, const void* to, const void* from, aclrtMemcpyKind kind) {
    if (kind == ACL_MEMCPY_DEFAULT) {
        return {device.memory().owns(to), device.memory().owns(from)};
    }
    return {kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE,
            kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE};
}

/// True for memory of aclrtMallocHost, which copy engines reach by themselves.
bool pinned(const void* pointer, std::size_t bytes) {
    const auto address = reinterpret_cast<std::uintptr_t>(pointer);
    const auto& memory = acl_state().host_memory;
    auto after = memory.upper_bound(address);
    if (after == memory.begin()) {
        return false;
    }
    --after;
    return address + bytes <= after->first + after->second;
}

/// A copy as a host program asks for it.
struct AclCopy {
    const char* call;
    void* to;
    std::size_t room;
    const void* from;
    std::size_t bytes;
    aclrtMemcpyKind kind;
    Site site;
};

/// What is wrong with a copy; empty if nothing is.
std::string wrong_copy(Device& device, const AclCopy& copy, const CopyEnds& ends) {
    if (copy.bytes > copy.room) {
        return fmt::format("{} bytes do not fit into {}", copy.bytes, copy.room);
    }
    if (copy.to == nullptr || copy.from == nullptr) {
        return "an address is null";
    }
    for (const std::string& wrong : {wrong_end(device, copy.to, copy.bytes, ends.to_device, "destination"),
                                     wrong_end(device, copy.from, copy.bytes, ends.from_device, "source")}) {
        if (!wrong.empty()) {
            return wrong;
        }
    }
    if (!ends.to_device || !ends.from_device) {
        return {};
    }
    const std::uint32_t from = device_of_memory(device, copy.from);
    const std::uint32_t to = device_of_memory(device, copy.to);
    const auto& peers = acl_state().peers;
    return from == to || peers.contains({from, to}) || peers.contains({to, from})
               ? std::string{}
               : fmt::format(
                     "from device {} to device {}: call aclrtDeviceEnablePeerAccess before", from, to);
}

CopyRequest request_of(Device& device, const AclCopy& copy, const CopyEnds& ends) {
    CopyRequest request{.from = {}, .to = {}, .bytes = copy.bytes, .length = copy.bytes};
    if (ends.from_device) {
        request.from = device_of_memory(device, copy.from);
        request.read_at = device.memory().offset_of(copy.from);
    }
    if (ends.to_device) {
        request.to = device_of_memory(device, copy.to);
        request.written_at = device.memory().offset_of(copy.to);
    }
    if (request.from && request.from == request.to) {
        request.bytes *= 2;  // read and written in one memory
    }
    request.pinned = (ends.from_device || pinned(copy.from, copy.bytes)) &&
                     (ends.to_device || pinned(copy.to, copy.bytes));
    return request;
}

/// Moves the data.
void move_bytes(Device& device, const AclCopy& copy, const CopyEnds& ends) {
    std::memmove(copy.to, copy.from, copy.bytes);
    if (ends.from_device && !ends.to_device) {
        device.host_reads(device.memory().offset_of(copy.from), copy.bytes);
    }
    if (ends.to_device) {
        device.host_wrote(device.memory().offset_of(copy.to), copy.bytes);
    }
}

aclError check_copy(Device* device, const AclCopy& copy, CopyEnds& ends) {
    if (device == nullptr) {
        return no_device();
    }
    ends = ends_of(*device, copy.to, copy.from, copy.kind);
    const std::string wrong = wrong_copy(*device, copy, ends);
    return wrong.empty() ? ACL_SUCCESS
                         : acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                                       fmt::format("{}: {}", at_line(copy.call, copy.site), wrong));
}

/// The host waits for it. Between two places of the host it takes no time.
aclError copy_now(const AclCopy& copy) {
    if (copy.bytes == 0) {
        return acl_device(copy.call) == nullptr ? no_device() : ACL_SUCCESS;
    }
    Device* device = acl_device(copy.call);
    CopyEnds ends;
    if (const aclError error = check_copy(device, copy, ends); error != ACL_SUCCESS) {
        return error;
    }
    if (const aclError error = check_copies_allowed(copy.call, *device, false); error != ACL_SUCCESS) {
        return error;
    }
    if (!ends.to_device && !ends.from_device) {
        move_bytes(*device, copy, ends);
        return ACL_SUCCESS;
    }
    device->streams().copy_now(
        acl_thread().device, {copy.call, copy.site}, request_of(*device, copy, ends), [&] {
            move_bytes(*device, copy, ends);
        });
    return ACL_SUCCESS;
}

/// Documented: memory of the host must be that of aclrtMallocHost, or the copy fails in ways that cannot be
/// foreseen; and there are no copies within the host.
aclError copy_on_stream(const AclCopy& copy, aclrtStream handle) {
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> stream = stream_of(copy.call, handle, error);
    if (!stream || copy.bytes == 0) {
        return error;
    }
    Device* device = acl_device(copy.call);
    CopyEnds ends;
    if (error = check_copy(device, copy, ends); error != ACL_SUCCESS) {
        return error;
    }
    if (!ends.to_device && !ends.from_device) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: copies within the host are not for streams; use memcpy",
                                       at_line(copy.call, copy.site)));
    }
    const CopyRequest request = request_of(*device, copy, ends);
    if (error = check_group(copy.call, *device, *stream, false); error != ACL_SUCCESS) {
        return error;
    }
    if (!request.pinned && device->streams().capture_of(*stream)) {
        return acl_failure(
            ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC,
            fmt::format("{}: a captured copy needs memory of aclrtMallocHost on the host's side: "
                        "it is done whenever the graph is executed",
                        at_line(copy.call, copy.site)));
    }
    if (error = request.pinned ? ACL_SUCCESS : check_copies_allowed(copy.call, *device, true);
        error != ACL_SUCCESS) {
        return error;
    }
    if (!request.pinned && acl_state().warned.insert(at_line(copy.call, copy.site)).second) {
        std::fflush(stdout);
        std::fprintf(
            stderr,
            "ascendsim: %s: the host's memory is not from aclrtMallocHost: on the chip this copy may "
            "fail; here it only takes longer\n",
            at_line(copy.call, copy.site).c_str());
    }
    AclCopy held = copy;
    std::shared_ptr<std::vector<std::byte>> staged;
    if (!request.pinned && !ends.from_device && device->streams().defers()) {
        // The driver's buffer has them: the program may do with its memory what it likes.
        const auto* from = static_cast<const std::byte*>(copy.from);
        staged = std::make_shared<std::vector<std::byte>>(from, from + copy.bytes);
        held.from = staged->data();
    }
    device->streams().copy(*stream, {copy.call, copy.site}, request, [device, held, staged, ends] {
        move_bytes(*device, held, ends);
    });
    return ACL_SUCCESS;
}

/// Documented: aclrtMalloc rounds a size up to 32 bytes and adds 32 more, aclrtMallocAlign32 adds none.
/// Kernels that look at the entry behind the last one rely on it.
constexpr std::size_t tail_bytes = 32;

aclError allocate(const char* call, void** pointer, std::size_t bytes, std::size_t tail, Site site) {
    Device* device = acl_device(call);
    if (device == nullptr) {
        return no_device();
    }
    if (pointer == nullptr || bytes == 0) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("{}: {}", at_line(call, site), bytes == 0 ? "0 bytes" : "no place for the address"));
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
                           fmt::format("{}: {}", at_line(call, site), error.what()));
    }
    acl_state().devices[device->memory().offset_of(*pointer)] = acl_thread().device;
    device->host_forgot(device->memory().offset_of(*pointer), round_up<std::size_t>(bytes, 32) + tail);
    return ACL_SUCCESS;
}

/// Memory to be filled, as a host program asks for it.
struct AclFill {
    const char* call;
    void* to;
    std::size_t room;
    std::int32_t value;
    std::size_t bytes;
    Site site;
};

aclError check_fill(Device* device, const AclFill& fill) {
    if (device == nullptr) {
        return no_device();
    }
    std::string wrong = fill.bytes > fill.room
                            ? fmt::format("{} bytes do not fit into {}", fill.bytes, fill.room)
                            : std::string{};
    if (wrong.empty() && device->memory().owns(fill.to) && !on_device(*device, fill.to, fill.bytes)) {
        wrong = fmt::format("{} bytes reach beyond the allocation, or it was freed", fill.bytes);
    }
    if (wrong.empty() && fill.to == nullptr) {
        wrong = "the address is null";
    }
    return wrong.empty() ? ACL_SUCCESS
                         : acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                                       fmt::format("{}: {}", at_line(fill.call, fill.site), wrong));
}

void fill_bytes(Device& device, const AclFill& fill) {
    std::memset(fill.to, fill.value, fill.bytes);
    if (device.memory().owns(fill.to)) {
        device.host_wrote(device.memory().offset_of(fill.to), fill.bytes);
    }
}

/// The device writes `bytes`, in its own memory.
CopyRequest request_of(Device& device, const AclFill& fill) {
    const std::uint32_t where = device_of_memory(device, fill.to);
    return {.from = where,
            .to = where,
            .bytes = fill.bytes,
            .written_at = device.memory().offset_of(fill.to),
            .length = fill.bytes};
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

aclError(aclrtFree)(void* devPtr) {  // in brackets: not the macro of that name
    return ascendsim_free_at(devPtr, {});
}

aclError ascendsim_free_at(void* devPtr, ascendsim::Site site) {
    Device* device = acl_device("aclrtFree");
    if (device == nullptr) {
        return no_device();
    }
    if (devPtr == nullptr || !device->memory().owns(devPtr)) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: {}",
                                       at_line("aclrtFree", site),
                                       devPtr == nullptr ? "the address is null" : "this is host memory"));
    }
    const ascendsim::isa::GlobalBuffer* buffer = device->memory().find(device->memory().offset_of(devPtr));
    if (buffer == nullptr || buffer->offset != device->memory().offset_of(devPtr)) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: no allocation starts at this address; was it freed before?",
                                       at_line("aclrtFree", site)));
    }
    device->streams().free_memory({"aclrtFree", site}, buffer->offset, buffer->bytes);
    acl_state().devices.erase(buffer->offset);
    device->memory().release(static_cast<std::byte*>(devPtr));
    return ACL_SUCCESS;
}

aclError aclrtMallocHost(void** hostPtr, size_t size) {
    *hostPtr =
        std::malloc(size);  // NOLINT(cppcoreguidelines-no-malloc): the caller frees it with aclrtFreeHost
    if (*hostPtr == nullptr) {
        return acl_failure(ACL_ERROR_BAD_ALLOC, "aclrtMallocHost: the host has no memory left");
    }
    acl_state().host_memory[reinterpret_cast<std::uintptr_t>(*hostPtr)] = size;
    return ACL_SUCCESS;
}

aclError aclrtFreeHost(void* hostPtr) {
    if (Device* device = ascendsim::program::current_device();
        device != nullptr && device->on_host_thread()) {
        device->streams().await_idle({"aclrtFreeHost", {}});
    }
    if (acl_state().host_memory.erase(reinterpret_cast<std::uintptr_t>(hostPtr)) == 0) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           "aclrtFreeHost: the address is none of aclrtMallocHost, or was freed before");
    }
    std::free(hostPtr);  // NOLINT(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)
    return ACL_SUCCESS;
}

aclError aclrtMemcpy(
    void* dst, size_t destMax, const void* src, size_t count, aclrtMemcpyKind kind, ascendsim::Site site) {
    return copy_now({"aclrtMemcpy", dst, destMax, src, count, kind, site});
}

aclError aclrtMemcpyAsync(void* dst,
                          size_t destMax,
                          const void* src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream stream,
                          ascendsim::Site site) {
    return copy_on_stream({"aclrtMemcpyAsync", dst, destMax, src, count, kind, site}, stream);
}

aclError aclrtMemcpy2d(void* dst,
                       size_t dpitch,
                       const void* src,
                       size_t spitch,
                       size_t width,
                       size_t height,
                       aclrtMemcpyKind kind,
                       ascendsim::Site site) {
    Device* device = acl_device("aclrtMemcpy2d");
    CopyEnds ends;
    const AclCopy all{"aclrtMemcpy2d", dst, dpitch, src, width, kind, site};
    if (device == nullptr) {
        return no_device();
    }
    if (const aclError error = check_copies_allowed(all.call, *device, false); error != ACL_SUCCESS) {
        return error;
    }
    std::vector<AclCopy> lines;
    for (size_t row = 0; row < height; ++row) {
        const AclCopy line{all.call,
                           static_cast<char*>(dst) + row * dpitch,
                           dpitch,
                           static_cast<const char*>(src) + row * spitch,
                           width,
                           kind,
                           site};
        if (const aclError error = check_copy(device, line, ends); error != ACL_SUCCESS) {
            return error;
        }
        lines.push_back(line);
    }
    const auto move = [&] {
        for (const AclCopy& line : lines) {
            move_bytes(*device, line, ends);
        }
    };
    if (!ends.to_device && !ends.from_device) {
        move();
        return ACL_SUCCESS;
    }
    ascendsim::program::CopyRequest request = request_of(*device, all, ends);
    request.bytes = width * height;
    request.length = 0;  // rows apart
    device->streams().copy_now(acl_thread().device, {all.call, site}, request, move);
    return ACL_SUCCESS;
}

aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value, size_t count, ascendsim::Site site) {
    const AclFill fill{"aclrtMemset", devPtr, maxCount, value, count, site};
    Device* device = acl_device(fill.call);
    if (const aclError error = check_fill(device, fill); error != ACL_SUCCESS) {
        return error;
    }
    if (const aclError error = check_copies_allowed(fill.call, *device, false); error != ACL_SUCCESS) {
        return error;
    }
    if (!device->memory().owns(devPtr)) {
        fill_bytes(*device, fill);
        return ACL_SUCCESS;
    }
    device->streams().copy_now(acl_thread().device, {fill.call, site}, request_of(*device, fill), [&] {
        fill_bytes(*device, fill);
    });
    return ACL_SUCCESS;
}

aclError aclrtMemsetAsync(
    void* devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream, ascendsim::Site site) {
    const AclFill fill{"aclrtMemsetAsync", devPtr, maxCount, value, count, site};
    aclError error = ACL_SUCCESS;
    const std::optional<ascendsim::program::StreamNumber> number = stream_of(fill.call, stream, error);
    if (!number) {
        return error;
    }
    Device* device = acl_device(fill.call);
    if (error = check_fill(device, fill); error != ACL_SUCCESS) {
        return error;
    }
    if (!device->memory().owns(devPtr)) {
        return acl_failure(ACL_ERROR_RT_PARAM_INVALID,
                           fmt::format("{}: this is host memory", at_line(fill.call, site)));
    }
    if (error = check_group(fill.call, *device, *number, false); error != ACL_SUCCESS) {
        return error;
    }
    device->streams().copy(
        *number, {fill.call, site}, request_of(*device, fill), [device, fill] { fill_bytes(*device, fill); });
    return ACL_SUCCESS;
}

aclError aclrtGetMemInfo(aclrtMemAttr /*attr*/, size_t* free, size_t* total) {
    Device* device = acl_device("aclrtGetMemInfo");
    if (device == nullptr) {
        return no_device();
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
