// SPDX-License-Identifier: Apache-2.0
// Arithmetic progressions by their newer name.
#pragma once

#include "kernels/ascendc/ascendc/vector/vector_progression.h"

namespace AscendC {

/// first, first + diff, ...
template <typename T>
inline void Arange(const LocalTensor<T>& dst,
                   const std::type_identity_t<T> firstValue,
                   const std::type_identity_t<T> diffValue,
                   const int32_t count,
                   Site site = Site::here()) {
    ArithProgression(dst, firstValue, diffValue, count, site);
}

}  // namespace AscendC
