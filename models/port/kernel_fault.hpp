// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "models/port/pipe.hpp"

namespace ascendsim::isa {

/// Stops the run: the kernel called `call` wrongly, as `message` says.
[[noreturn]] void kernel_fault(std::string_view call, std::string_view message, Site site);

/// Notes that `call` asks for `requested` bytes, which do not fit behind the `used` ones of a memory (or of
/// the `capacity` bytes of a buffer in it) reached through a TPosition. The chip does not check that: what is
/// used of them is what counts. Stops a strict run.
void beyond_capacity(std::string_view call,
                     Memory memory,
                     std::uint8_t position,
                     std::uint64_t requested,
                     std::uint64_t used,
                     std::uint64_t capacity,
                     Site site);

/// Notes that a queue that is empty is asked for a tensor and gives the one it gave last. Stops a strict run.
void taken_again(Site site);

/// Stops the run: a documented call that the simulator does not have yet.
[[noreturn]] void not_implemented(std::string_view call, Site site);

/// Tells who watches the run that a copy between two memories was asked for `asked` bytes and moves the
/// `moved` of whole blocks.
void note_rounded(Memory from, Memory to, std::uint64_t asked, std::uint64_t moved, Site site);

/// Bytes of a memory on this chip, whether or not the running kind of core has it.
[[nodiscard]] std::uint32_t buffer_capacity(Memory memory);

}  // namespace ascendsim::isa
