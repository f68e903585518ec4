// SPDX-License-Identifier: Apache-2.0
#include "models/port/number_address.hpp"

#include "models/port/scalar_access.hpp"

void* ascendsim_scalar_place(
    void* pointer, std::uint32_t bytes, std::uint32_t kind, const char* file, std::uint32_t line) {
    using ascendsim::isa::CorePort;
    const auto offset = reinterpret_cast<std::uintptr_t>(pointer);
    if (bytes == 0 || !CorePort::running()) {
        return pointer;
    }
    CorePort& core = CorePort::current();
    const std::size_t size = core.local(ascendsim::Memory::ub).size();
    if (offset >= size || bytes > size - offset) {
        return pointer;
    }
    const ascendsim::isa::Local where{ascendsim::Memory::ub, static_cast<std::uint32_t>(offset)};
    const bool writes = (kind & 1U) != 0;
    if ((kind & 2U) != 0) {
        ascendsim::isa::scalar_buffer_block(where, bytes, writes, {file, line});
    } else {
        ascendsim::isa::scalar_buffer_access(where, bytes, writes, {file, line});
    }
    return core.at(where);
}
