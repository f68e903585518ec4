// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace ascendsim {

/// Beyond these what a core runs of one block is taken for endless, or for wrong.
struct ProgramLimits {
    std::uint64_t instructions = 20'000'000'000;
    std::uint64_t cycles = 20'000'000'000;            // from the block's begin
    std::uint32_t arithmetic_cycles = 2'000'000'000;  // of the scalar unit, between two operations
    bool strict =
        false;  // reads beyond a buffer and buffers beyond a memory, which the chip lets pass, stop it
};

}  // namespace ascendsim
