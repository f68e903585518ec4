// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// `cycles` of scalar work.
void scalar_work(std::uint32_t cycles, Site site);
/// `count` simple instructions of a library that the kernel calls, at the pace of its own arithmetic.
void scalar_instructions(std::uint32_t count, Site site);
/// The scalar unit reads or writes an element of `bytes` at `where`, a multiple of its size.
void scalar_buffer_access(Local where, std::uint32_t bytes, bool write, Site site);
/// The same of elements side by side, `bytes` in all, wherever they begin.
void scalar_buffer_block(Local where, std::uint32_t bytes, bool write, Site site);
/// The scalar unit reads or writes global memory; a read repeated at one address lets the other programs run.
void scalar_gm_access(const void* pointer, std::uint32_t bytes, bool write, Site site);

/// A call takes `bytes` of global memory for a content that the kernel has given them: told to who watches
/// the run if nobody has, and free of cost.
void need_written(const void* pointer, std::uint32_t bytes, Site site);

/// What a read costs that the kernel makes itself, through a reference that it is given. Whether it reads or
/// writes, and what, its own code tells (plain_access.hpp).
void scalar_buffer_reference(Local where, std::uint32_t bytes, Site site);
void scalar_gm_reference(const void* pointer, std::uint32_t bytes, Site site);

/// A read of global memory that may be a poll: the same place again and again, with no other of its kind in
/// between, is a program waiting for another core, so after `patience` times it lets the others run.
enum class PollKind : std::uint8_t { copy, line };
void watch_poll(CorePort& core, PollKind kind, std::uint64_t place, std::uint32_t patience);

/// The tiling key this launch chose; kept in a register of the core.
[[nodiscard]] std::uint64_t tiling_key();
void set_tiling_key(std::uint64_t key);

}  // namespace ascendsim::isa
