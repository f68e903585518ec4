// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "toolchain/slog.h"

/// Whether a module says what is of a level; debugging words go nowhere here.
inline int32_t AlogCheckDebugLevel(uint32_t /*moduleId*/, int32_t /*level*/) {
    return 0;
}
