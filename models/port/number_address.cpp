// SPDX-License-Identifier: Apache-2.0
#include "models/port/number_address.hpp"

#include "models/port/scalar_access.hpp"

void* ascendsim_scalar_place(
    void* pointer, std::uint32_t bytes, std::uint32_t writes, const char* file, std::uint32_t line) {
    using ascendsim::isa::CorePort;
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer);
    if (!CorePort::running()) {
        return pointer;
    }
    CorePort& core = CorePort::current();
    const std::size_t size = core.local(ascendsim::Memory::ub).size();
    if (offset >= size || bytes > size - offset) {
        return pointer;
    }
    const ascendsim::isa::Local where{ascendsim::Memory::ub, static_cast<std::uint32_t>(offset)};
    ascendsim::isa::scalar_buffer_access(where, bytes, writes != 0, {file, line});
    return core.at(where);
}
