// SPDX-License-Identifier: Apache-2.0
// Filling global memory with a value.
#pragma once

#include "kernels/ascendc/ascendc/data_copy.h"
#include "kernels/ascendc/ascendc/vector/vector_scalar.h"

namespace AscendC {

/// The part of a position's memory that no buffer has taken yet, as one tensor; false if there is none.
template <typename T, TPosition position>
inline bool PopStackBuffer(LocalTensor<T>& tensor) {
    const auto used = static_cast<uint32_t>(GetTPipePtr()->GetQueueEndAddress(position));
    const uint32_t capacity = ascendsim::isa::buffer_capacity(MemoryOf(position));
    tensor = LocalTensor<T>(TBuffAddr{capacity - used, used, nullptr, static_cast<uint8_t>(position)});
    ascendsim::isa::CorePort::current().notice(
        ascendsim::isa::BufferNotice::live, {MemoryOf(position), used}, capacity - used, Site::here());
    return capacity > used;
}

/// Writes `value` to the first `size` elements of `gm`, through free space of the unified buffer.
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gm,
                             const uint64_t size,
                             const std::type_identity_t<T> value,
                             Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        LocalTensor<T> tile;
        PopStackBuffer<T, TPosition::LCM>(tile);
        constexpr uint32_t largest = 16384U / sizeof(T);
        const uint64_t room = tile.GetSize() < largest ? tile.GetSize() / 32U * 32U : largest;
        if (room == 0) {
            ascendsim::isa::kernel_fault(
                "InitGlobalMemory", "the unified buffer has no free space left for a tile", site);
        }
        const TEventID before = GetTPipePtr()->FetchEventID<HardEvent::MTE3_V>();
        SetFlag<HardEvent::MTE3_V>(before, site);
        WaitFlag<HardEvent::MTE3_V>(before, site);
        Duplicate<T>(tile, value, static_cast<int32_t>(size < room ? size : room), site);
        const TEventID filled = GetTPipePtr()->FetchEventID<HardEvent::V_MTE3>();
        SetFlag<HardEvent::V_MTE3>(filled, site);
        WaitFlag<HardEvent::V_MTE3>(filled, site);
        for (uint64_t done = 0; done < size; done += room) {
            const uint64_t n = size - done < room ? size - done : room;
            DataCopyPad(
                gm[done], tile, DataCopyExtParams(1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0), site);
        }
    }
}

template <typename T>
inline void InitOutput(GlobalTensor<T> gm,
                       uint32_t size,
                       std::type_identity_t<T> value = 0,
                       Site site = Site::here()) {
    InitGlobalMemory(gm, size, value, site);
}

template <typename T>
inline void Fill(GlobalTensor<T>& gm,
                 const uint64_t size,
                 const std::type_identity_t<T> value,
                 Site site = Site::here()) {
    InitGlobalMemory(gm, size, value, site);
}

}  // namespace AscendC
