// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/device.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/acl/acl_captures.hpp"
#include "runtime/acl/acl_state.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

// C functions of a host program have no other way to their device.
Device* the_device = nullptr;    // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
EndOfProcess the_end = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

/// What simulated code asks for goes to the session; the simulator's own wish to the C library.
[[noreturn]] void end_process(const char* function, int code) {
    if (the_end != nullptr) {
        the_end(code);
    }
    using Function = void (*)(int);
    reinterpret_cast<Function>(dlsym(RTLD_NEXT, function))(code);
    __builtin_unreachable();
}

/// Of the thread that simulates this is the end of the process.
void end_of_thread() {
    if (the_end != nullptr) {
        the_end(0);
    }
}

}  // namespace

/// A thread of the program besides that of main.
static bool is_other_thread() {
    return the_device != nullptr && the_device->on_host_thread() &&
           the_device->threads().current() != ThreadNumber{};
}

std::optional<CoreUse> Device::cores_of(const LaunchRequest& /*request*/) const {
    return std::nullopt;
}

std::shared_ptr<PreparedOperator> Device::prepare(const OperatorAsk& ask, std::string& /*refusal*/) {
    throw UserError{"{}: no operators can be called here", ask.function};
}

std::vector<CallTensor> Device::infer(const OperatorAsk& /*ask*/, std::string& refusal) {
    refusal = "this device has no operators";
    return {};
}

OwnCode Device::own_code(const std::string& /*function*/) {
    return {};
}

Device* current_device() {
    return the_device;
}

void set_current_device(Device* device) {
    the_device = device;
}

void set_end_of_process(EndOfProcess end) {
    the_end = end;
}

namespace {

void put_on_stream(const LaunchRequest& request) {
    Device* device = current_device();
    if (device == nullptr || !device->on_host_thread()) {
        throw UserError{"{}:{}: '{}' is launched {}",
                        request.site.file,
                        request.site.line,
                        request.text,
                        device == nullptr
                            ? "before main has started"
                            : "from a thread that the program's own code has not started; launch it from one "
                              "that it has"};
    }
    aclError error = ACL_SUCCESS;
    const std::optional<StreamNumber> stream = stream_of("a launch", request.stream, error);
    if (!stream) {
        throw UserError{"{}:{}: '{}' is launched on a stream that cannot take it (error {})",
                        request.site.file,
                        request.site.line,
                        request.text,
                        error};
    }
    // A launch has no result: the capture is invalid from here on, and its end says so.
    if (check_group(request.text, *device, *stream, true) != ACL_SUCCESS) {
        return;
    }
    LaunchRequest placed = request;
    placed.number = *stream;
    device->launch(placed);
}

}  // namespace

/// With several threads nobody could catch what is wrong: the program ends where they stand.
void start_kernel(const LaunchRequest& request) {
    try {
        put_on_stream(request);
    } catch (...) {
        Device* device = current_device();
        if (device != nullptr && device->on_host_thread() && device->threads().several()) {
            device->threads().fail(std::current_exception());
        }
        throw;
    }
}

}  // namespace ascendsim::program

// Programs, kernels and their libraries find these before the C library's: the process is the simulator's.
extern "C" {

void exit(int code) noexcept {
    ascendsim::program::end_process("exit", code);
}

void _exit(int code) {
    ascendsim::program::end_process("_exit", code);
}

// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library's name
void _Exit(int code) noexcept {
    ascendsim::program::end_process("_Exit", code);
}

void quick_exit(int code) noexcept {
    ascendsim::program::end_process("quick_exit", code);
}

/// A thread of the program's own ends; that of main, and a kernel, would take the simulation along.
void pthread_exit(void* result) {
    // Another thread of the program ends by itself, and its turn goes on.
    if (!ascendsim::program::is_other_thread()) {
        ascendsim::program::end_of_thread();
    }
    using Function = void (*)(void*);
    reinterpret_cast<Function>(dlsym(RTLD_NEXT, "pthread_exit"))(result);
    __builtin_unreachable();
}

/// A program that looks for its own file finds the place where its build would have put it, beside its
/// source.
ssize_t readlink(const char* path, char* buffer, size_t size) {
    const ascendsim::program::Device* device = ascendsim::program::current_device();
    const bool asks =
        device != nullptr && device->on_host_thread() && std::string_view{path} == "/proc/self/exe";
    const std::string file = asks ? device->program_file() : std::string{};
    if (file.empty()) {
        return syscall(SYS_readlinkat, AT_FDCWD, path, buffer, size);
    }
    const std::size_t bytes = std::min(size, file.size());
    std::memcpy(buffer, file.data(), bytes);
    return static_cast<ssize_t>(bytes);
}

}  // extern "C"
