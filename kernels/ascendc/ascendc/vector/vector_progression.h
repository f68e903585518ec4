// SPDX-License-Identifier: Apache-2.0
// Arithmetic progressions of a count of elements.
#pragma once

#include "kernels/ascendc/ascendc/pipe.h"
#include "kernels/ascendc/ascendc/vector/vector_gather.h"

namespace AscendC {

/// A progression that does not start at a block: the scalar unit writes it, as it writes the first block of
/// any on the chip; so published kernels may ask for up to a block of 32 bytes anywhere.
template <typename T>
inline void WriteProgression(const LocalTensor<T>& dst, T first, T step, int32_t count, Site site) {
    const int32_t read = GetTPipePtr()->FetchEventID<HardEvent::V_S>();
    SetFlag<HardEvent::V_S>(read, site);
    WaitFlag<HardEvent::V_S>(read, site);
    using Sum = std::conditional_t<std::is_integral_v<T>, T, float>;
    for (int32_t i = 0; i < count; ++i) {
        dst.SetValue(static_cast<uint32_t>(i),
                     static_cast<T>(static_cast<Sum>(first) + static_cast<Sum>(step) * static_cast<Sum>(i)),
                     site);
    }
    const int32_t written = GetTPipePtr()->FetchEventID<HardEvent::S_V>();
    SetFlag<HardEvent::S_V>(written, site);
    WaitFlag<HardEvent::S_V>(written, site);
}

/// first, first + diff, ...
template <typename T>
inline void ArithProgression(const LocalTensor<T>& dst,
                             const std::type_identity_t<T> firstValue,
                             const std::type_identity_t<T> diffValue,
                             const int32_t count,
                             Site site = Site::here()) {
    if constexpr (has_vector_unit) {
        constexpr uint32_t block = 32;
        const bool within_block = count > 0 && static_cast<uint32_t>(count) * sizeof(T) <= block;
        if (dst.address_.bufferAddr % block != 0 && within_block) {
            WriteProgression<T>(dst, firstValue, diffValue, count, site);
            return;
        }
        ProgressionCall<T>(dst, firstValue, diffValue, 1, 8, CountShape(count), site);
    }
}

/// first, first + 1, ...
template <typename T>
inline void CreateVecIndex(const LocalTensor<T>& dst,
                           const std::type_identity_t<T>& firstValue,
                           uint32_t count,
                           Site site = Site::here()) {
    ArithProgression<T>(dst, firstValue, T(1), static_cast<int32_t>(count), site);
}

}  // namespace AscendC
