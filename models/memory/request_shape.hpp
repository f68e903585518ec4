// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/timed_op.hpp"
#include "models/spec/memory_spec.hpp"

namespace ascendsim {

/// What a copy is cut into on its way to L2: naturally aligned requests of max_request, half and a quarter of
/// it; a leftover costs a whole smallest request [vendor GEMM cost model and alignment guide, hardware
/// facts 4.2].
struct RequestShape {
    std::uint64_t requests = 0;
    std::uint64_t bytes = 0;         // what the kernel asked for
    std::uint64_t padded_bytes = 0;  // what the requests move
    // What global memory delivers if nothing is in L2. A row that starts or ends inside of a smallest request
    // costs whole lines [measured: unaligned rows of copies, 0.65 to 0.71 cycles of all of HBM a row, which
    // is one more line].
    std::uint64_t fetched_bytes = 0;
};

/// Cuts `transfer` for a port whose requests are at most `max_request` bytes; L2 has lines of `line` bytes.
[[nodiscard]] RequestShape cut(const isa::Transfer& transfer,
                               const PortSpec& port,
                               std::uint32_t max_request,
                               std::uint32_t line);

}  // namespace ascendsim
