// SPDX-License-Identifier: Apache-2.0
// Flags, barriers and cross-core synchronisation.
#pragma once

#include "kernels/ascendc/ascendc/tensor.h"

namespace AscendC {

template <HardEvent event>
inline void SetFlag(int32_t id, Site site = Site::here()) {
    if constexpr (HasEvent(event)) {
        ascendsim::isa::set_flag(
            PipesOf(event).source, PipesOf(event).destination, static_cast<uint32_t>(id), site);
    }
}

template <HardEvent event>
inline void WaitFlag(int32_t id, Site site = Site::here()) {
    if constexpr (HasEvent(event)) {
        ascendsim::isa::wait_flag(
            PipesOf(event).source, PipesOf(event).destination, static_cast<uint32_t>(id), site);
    }
}

template <pipe_t pipe>
inline void PipeBarrier(Site site = Site::here()) {
    if constexpr (pipe == PIPE_ALL) {
        ascendsim::isa::barrier_all(site);
    } else if constexpr (HasPipe(PipeOf(pipe))) {
        ascendsim::isa::pipe_barrier(PipeOf(pipe), site);
    }
}

/// The flags from one pipe to another.
template <pipe_t source, pipe_t destination>
class TQueSync {
public:
    void SetFlag(TEventID id, Site site = Site::here()) {
        if constexpr (HasPipe(PipeOf(source)) && HasPipe(PipeOf(destination))) {
            ascendsim::isa::set_flag(PipeOf(source), PipeOf(destination), static_cast<uint32_t>(id), site);
        }
    }

    void WaitFlag(TEventID id, Site site = Site::here()) {
        if constexpr (HasPipe(PipeOf(source)) && HasPipe(PipeOf(destination))) {
            ascendsim::isa::wait_flag(PipeOf(source), PipeOf(destination), static_cast<uint32_t>(id), site);
        }
    }
};

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreSetFlag(uint16_t flagId, Site site = Site::here()) {
    ascendsim::isa::cross_core_set(PipeOf(pipe), modeId, flagId, site);
}

template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId, Site site = Site::here()) {
    ascendsim::isa::cross_core_wait(PipeOf(pipe), flagId, site);
}

/// The older name of CrossCoreWaitFlag.
inline void WaitEvent(uint16_t flagId, Site site = Site::here()) {
    ascendsim::isa::cross_core_wait(ascendsim::Pipe::scalar, flagId, site);
}

template <pipe_t pipe = PIPE_S, uint8_t mode = 0>
inline void NotifyEvent(uint16_t flagId, Site site = Site::here()) {
    ascendsim::isa::cross_core_set(PipeOf(pipe), mode, flagId, site);
}

/// Waits for every core of this kind; with isAIVOnly = false for the cube cores too.
template <bool isAIVOnly = true>
inline void SyncAll(Site site = Site::here()) {
    ascendsim::isa::sync_all(!isAIVOnly, site);
}

inline void SetSyncBaseAddr(uint64_t) {}

template <MemDsbT mode>
inline void DataSyncBarrier(Site site = Site::here()) {
    ascendsim::isa::barrier_all(site);
}

}  // namespace AscendC
