// SPDX-License-Identifier: Apache-2.0
// The older name of aclrtGetHardwareSyncAddr.
#pragma once

#include <cstdint>

using rtError_t = int32_t;
inline constexpr rtError_t RT_ERROR_NONE = 0;

inline rtError_t rtGetC2cCtrlAddr(uint64_t* address, uint32_t* bytes) {
    *address = 0;
    *bytes = 0;
    return RT_ERROR_NONE;
}
