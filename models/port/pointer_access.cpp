// SPDX-License-Identifier: Apache-2.0
#include "models/port/pointer_access.hpp"

#include "models/port/core_port.hpp"

void ascendsim_pointer_access(
    const void* pointer, std::uint64_t bytes, std::uint32_t write, const char* file, std::uint32_t line) {
    using ascendsim::isa::CorePort;
    if (bytes != 0 && CorePort::running() && CorePort::current().global().owns(pointer)) {
        CorePort::current().scalar_pointer_access(pointer, bytes, write != 0, {file, line});
    }
}
