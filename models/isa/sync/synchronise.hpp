// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/port/buffer_news.hpp"
#include "models/port/core_port.hpp"
#include "models/port/scalar_access.hpp"

namespace ascendsim::isa {

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

/// PipeBarrier of one pipe.
void pipe_barrier(Pipe pipe, Site site);
/// PipeBarrier<PIPE_ALL>: the scalar unit waits for every pipe.
void barrier_all(Site site);

/// CrossCoreSetFlag on `pipe` and CrossCoreWaitFlag. Fails where the chip or the id does not allow them.
void cross_core_set(Pipe pipe, std::uint32_t mode, std::uint32_t id, Site site);
void cross_core_wait(Pipe pipe, std::uint32_t id, Site site);
/// SyncAll over the cores of this kind, or of both.
void sync_all(bool both_kinds, Site site);

}  // namespace ascendsim::isa
