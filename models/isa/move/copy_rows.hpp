// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "models/isa/vector/vector_shape.hpp"
#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// What `rows` rows touch: one run if they follow each other, else a run each.
inline Access rows_access(
    Memory memory, std::uint64_t offset, std::uint32_t rows, std::uint64_t row_bytes, std::uint64_t pitch) {
    if (pitch == row_bytes || rows <= 1) {
        return {.memory = memory, .offset = offset, .row_bytes = row_bytes * rows};
    }
    return {.memory = memory, .offset = offset, .row_bytes = row_bytes, .rows = rows, .pitch = pitch};
}

/// Fails unless a copy's place in a buffer starts at a block of 32 bytes.
inline void check_local(Local local, const OpInfo& info, Site site, Pipe pipe) {
    if (local.offset % block_bytes != 0) [[unlikely]] {
        CorePort::current().fail(
            info,
            site,
            fmt::format(
                "{} offset {} is not a multiple of {} bytes", name(local.memory), local.offset, block_bytes),
            pipe);
    }
}

}  // namespace ascendsim::isa
