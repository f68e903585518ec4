// SPDX-License-Identifier: Apache-2.0
// What libraries and Python call by C names.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include <cxxabi.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "runtime/acl/acl_state.hpp"
#include "runtime/acl/include/acl/acl_rt.h"
#include "runtime/front/front_device.hpp"
#include "sim/base/error.hpp"

namespace {

using ascendsim::front::FrontDevice;
using ascendsim::program::acl_failure;

/// Documented: an exception of a core, told where the host waits.
constexpr aclError kernel_failed = 507015;

/// Calls through C cannot throw.
template <class Work>
bool told(const Work& work) {
    try {
        work();
        return true;
    } catch (const std::exception& error) {
        acl_failure(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, error.what());
        return false;
    }
}

aclError waited() {
    const std::string failure = FrontDevice::get().take_failure();
    return failure.empty() ? ACL_SUCCESS : acl_failure(kernel_failed, failure);
}

/// The device is there before the first call: libraries allocate in their constructors.
[[gnu::constructor]] void make_device() {
    told([] { static_cast<void>(FrontDevice::get()); });
}

}  // namespace

extern "C" {

/// A library tells its kernels: the file with the words of `ascendsim run`, and null behind the last of the
/// names of kernels that are launched by name. `defers` says whether failures wait for the next
/// synchronisation.
void ascendsim_add_bundle(const char* file, const char* const* names, int defers) {
    told([&] {
        ascendsim::front::Bundle bundle{.file = file, .names = {}, .base = nullptr, .defers = defers != 0};
        for (; *names != nullptr; ++names) {
            bundle.names.emplace_back(*names);
        }
        Dl_info caller{};
        if (dladdr(__builtin_return_address(0), &caller) != 0) {
            bundle.base = caller.dli_fbase;
        }
        FrontDevice::get().add(std::move(bundle));
    });
}

/// Null where there is not so much.
void* ascendsim_allocate(size_t bytes) {
    void* place = nullptr;
    told([&] { place = FrontDevice::get().allocate(bytes); });
    return place;
}

void ascendsim_release(void* pointer) {
    told([&] { FrontDevice::get().release(pointer); });
}

/// Time on the device since the program began, in us.
double ascendsim_device_time() {
    return FrontDevice::get().streams().now_us();
}

size_t ascendsim_launch_count() {
    return FrontDevice::get().launches().size();
}

/// Launch `i`: its kernel (valid until the next launch), blocks, and when it began and how long it took on
/// the device, in us; `type` becomes the profiler's word for its cores. Null if there are not so many.
const char* ascendsim_launch(size_t i, uint32_t* blocks, double* start, double* us, const char** type) {
    const auto& launches = FrontDevice::get().launches();
    if (i >= launches.size()) {
        return nullptr;
    }
    const ascendsim::front::DoneLaunch& one = launches[i];
    *blocks = one.blocks;
    *start = one.start_us;
    *us = one.us;
    *type = one.task_type(FrontDevice::get().chip());
    return one.kernel.c_str();
}

size_t ascendsim_allocated(int peak) {
    return peak != 0 ? FrontDevice::get().peak() : FrontDevice::get().allocated();
}

void ascendsim_forget_peak() {
    FrontDevice::get().forget_peak();
}

/// Notes a launch that was simulated elsewhere, on cores by their word in scenarios ("aiv"; any other word:
/// not known). The device's clock goes on by its time.
void ascendsim_note_launch(const char* kernel, uint32_t blocks, double us, const char* cores) {
    told([&] { FrontDevice::get().note(kernel, blocks, us, ascendsim::core_use_named(cores)); });
}

/// Ends the simulators, which write their reports; the next launch starts new ones.
void ascendsim_finish() {
    told([] { FrontDevice::get().finish(); });
}

/// Where a function stands that could not be built: throws.
void ascendsim_absent(const char* symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain{abi::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                       std::free};
    throw ascendsim::UserError{"{} is not there: its source was left out when the library was built",
                               plain ? plain.get() : symbol};
}

/// The sentence of a failure that nobody was told of yet, empty if there is none; valid until the next call.
const char* ascendsim_take_failure() {
    thread_local std::string text;
    text = FrontDevice::get().take_failure();
    return text.c_str();
}

/// All memory is in reach of both sides: a copy needs no check of where it goes.
aclError aclrtMemcpy(void* dst,
                     size_t destMax,
                     const void* src,
                     size_t count,
                     aclrtMemcpyKind /*kind*/,
                     ascendsim::Site site) {
    if (count > destMax || dst == nullptr || src == nullptr) {
        return acl_failure(
            ACL_ERROR_RT_PARAM_INVALID,
            fmt::format("aclrtMemcpy at {}:{}: {}",
                        site.file,
                        site.line,
                        count > destMax ? fmt::format("{} bytes do not fit into {}", count, destMax)
                                        : "an address is null"));
    }
    std::memmove(dst, src, count);
    return ACL_SUCCESS;
}

aclError aclrtMemcpyAsync(void* dst,
                          size_t destMax,
                          const void* src,
                          size_t count,
                          aclrtMemcpyKind kind,
                          aclrtStream /*stream*/,
                          ascendsim::Site site) {
    return aclrtMemcpy(dst, destMax, src, count, kind, site);
}

aclError aclrtSynchronizeStream(aclrtStream /*stream*/, ascendsim::Site /*site*/) {
    return waited();
}

aclError aclrtSynchronizeDevice(ascendsim::Site /*site*/) {
    return waited();
}

aclError aclrtSynchronizeStreamWithTimeout(aclrtStream /*stream*/,
                                           int32_t /*timeout*/,
                                           ascendsim::Site /*site*/) {
    return waited();
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t /*timeout*/, ascendsim::Site /*site*/) {
    return waited();
}

aclError aclrtSynchronizeEvent(aclrtEvent /*event*/, ascendsim::Site /*site*/) {
    return waited();
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent /*event*/,
                                          int32_t /*timeout*/,
                                          ascendsim::Site /*site*/) {
    return waited();
}

}  // extern "C"
