// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// A buffer of the kernel framework, and what becomes of it.
struct BufferNews {
    BufferStep step = BufferStep::none;
    std::uint8_t position = 0;  // TPosition
    Local where{};
    std::uint32_t bytes = 0;
    Pipe holder = Pipe::scalar;  // who has it from then on, or had it; flags tell by themselves
};

/// What no flag says of a buffer: for the recording alone, without cost.
void buffer_news(const BufferNews& news, Site site);

}  // namespace ascendsim::isa
