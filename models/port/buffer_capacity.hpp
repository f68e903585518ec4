// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/pipe.hpp"
#include "models/spec/core_spec.hpp"

namespace ascendsim::isa {

/// Bytes of a core's memory, whether or not the running kind of core has it; 0 of global memory.
[[nodiscard]] inline std::uint32_t buffer_capacity(const BufferSpec& buffers, Memory memory) {
    switch (memory) {
        case Memory::gm:
            return 0;
        case Memory::ub:
            return buffers.ub;
        case Memory::l1:
            return buffers.l1;
        case Memory::l0a:
            return buffers.l0a;
        case Memory::l0b:
            return buffers.l0b;
        case Memory::l0c:
            return buffers.l0c;
        case Memory::bias_table:
            return buffers.bias_table;
        case Memory::fixpipe_buffer:
            return buffers.fixpipe_buffer;
    }
    return 0;
}

}  // namespace ascendsim::isa
