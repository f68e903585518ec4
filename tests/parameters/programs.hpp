// SPDX-License-Identifier: Apache-2.0
// Programs that use what a core has, for tests of what a chip's parameters change. Each may be run on any
// number of cores; `gm` is memory of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "models/core/machine.hpp"

namespace ascendsim::testing {

inline constexpr std::uint64_t gm_bytes = 1 << 22;  // each core's

inline constexpr Site here{"programs.cpp", 1};

/// Clocks that programs have read, in order: what a run is compared by.
using Readings = std::vector<std::uint64_t>;

/// Waits for every pipe and reads the core's clock.
void settle(Readings& readings);

/// Vector cores: every instruction with a cost of its own, alone and behind itself, of 16 and 32 bits.
void every_vector_instruction(Readings& readings);
/// Flags, barriers, scalar work, full queues, the data cache and code beyond the instruction cache.
void scalar_unit(std::byte* gm, Readings& readings);
/// Copies between global memory and the unified buffer: long, short, ragged, atomic.
void vector_copies(std::byte* gm, Readings& readings);
/// Streams all of `gm` in, twice, past L2 if asked to, and writes it.
void stream(std::byte* gm, bool past_l2, Readings& readings);
/// Reads the same lines as the other cores do.
void shared_lines(std::byte* gm, bool past_l2, Readings& readings);

/// Cube cores: loads, products, results and copies.
void cube_instructions(std::byte* gm, Readings& readings);
/// The last bytes of each memory of a cube core, or of a vector core.
void ends_of_memories(bool cube);

/// Whole cores of a coupled chip: the ways between cube and vector side.
void coupled_paths(Readings& readings);

}  // namespace ascendsim::testing
