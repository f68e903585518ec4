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

/// SetFlag: `source` raises flag `id` for `destination` once its earlier work is complete. `extra` scalar
/// cycles are spent before. Fails if the core has no such flag. `news` becomes true with the flag.
void set_flag(Pipe source,
              Pipe destination,
              std::uint32_t id,
              Site site,
              std::uint32_t extra = 0,
              const BufferNews& news = {});
/// WaitFlag: `destination` waits for flag `id` of `source` and clears it.
void wait_flag(Pipe source,
               Pipe destination,
               std::uint32_t id,
               Site site,
               std::uint32_t extra = 0,
               const BufferNews& news = {});
/// What no flag says of a buffer: for the recording alone, without cost.
void buffer_news(const BufferNews& news, Site site);

/// PipeBarrier of one pipe.
void pipe_barrier(Pipe pipe, Site site);
/// PipeBarrier<PIPE_ALL>: the scalar unit waits for every pipe.
void barrier_all(Site site);

/// CrossCoreSetFlag on `pipe` and CrossCoreWaitFlag. Fails where the chip or the id does not allow them.
void cross_core_set(Pipe pipe, std::uint32_t mode, std::uint32_t id, Site site);
void cross_core_wait(Pipe pipe, std::uint32_t id, Site site);
/// SyncAll over the cores of this kind, or of both.
void sync_all(bool both_kinds, Site site);

/// `cycles` of scalar work.
void scalar_work(std::uint32_t cycles, Site site);
/// The scalar unit reads or writes `bytes` at `where`.
void scalar_buffer_access(Local where, std::uint32_t bytes, bool write, Site site);
/// The scalar unit reads or writes global memory; a read repeated at one address lets the other programs run.
void scalar_gm_access(const void* pointer, std::uint32_t bytes, bool write, Site site);

/// A read of global memory that may be a poll: the same place again and again, with no other of its kind in
/// between, is a program waiting for another core, so after `patience` times it lets the others run.
enum class PollKind : std::uint8_t { copy, line };
void watch_poll(CorePort& core, PollKind kind, std::uint64_t place, std::uint32_t patience);

/// The tiling key this launch chose; kept in a register of the core.
[[nodiscard]] std::uint64_t tiling_key();
void set_tiling_key(std::uint64_t key);

}  // namespace ascendsim::isa
