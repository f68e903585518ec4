// SPDX-License-Identifier: Apache-2.0
// Sizes of the vector core that the operator libraries ask their base package for.
#pragma once

#include <cstdint>

namespace Ops::Base {

/// Bytes of a block of the unified buffer.
constexpr uint32_t GetUbBlockSize() {
    return 32U;
}

/// Bytes that a vector instruction works on at a time.
constexpr uint32_t GetVRegSize() {
    return 256U;
}

}  // namespace Ops::Base
