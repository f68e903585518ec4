// SPDX-License-Identifier: Apache-2.0
#include "runtime/acl/device.hpp"

#include <cstdlib>

#include "sim/base/error.hpp"

namespace ascendsim::program {
namespace {

// C functions of a host program have no other way to their device.
Device* the_device = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

}  // namespace

Device* current_device() {
    return the_device;
}

void set_current_device(Device* device) {
    the_device = device;
}

void start_kernel(const LaunchRequest& request) {
    Device* device = current_device();
    if (device == nullptr || !device->on_host_thread()) {
        throw UserError{"{}:{}: '{}' is launched {}; launch it from the thread that runs main",
                        request.site.file,
                        request.site.line,
                        request.text,
                        device == nullptr ? "before main has started" : "from another thread"};
    }
    device->launch(request);
}

}  // namespace ascendsim::program

// Host programs are linked with --wrap=exit and the like: the process is the simulator's.
extern "C" {

[[noreturn]] void __wrap_exit(int code);
[[noreturn]] void __wrap__exit(int code);
[[noreturn]] void __wrap_quick_exit(int code);

void __wrap_exit(int code) {
    if (ascendsim::program::Device* device = ascendsim::program::current_device(); device != nullptr) {
        device->end_program(code);
    }
    std::exit(code);
}

void __wrap__exit(int code) {
    __wrap_exit(code);
}

void __wrap_quick_exit(int code) {
    __wrap_exit(code);
}

}  // extern "C"
