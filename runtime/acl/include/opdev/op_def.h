// SPDX-License-Identifier: Apache-2.0
// Names of operators that are launched, and how.
#pragma once

#include "opdev/common_types.h"

#define OP_TYPE_REGISTER(type)                                    \
    [[maybe_unused]] static inline const char* type##OpTypeId() { \
        return #type;                                             \
    }

namespace op {

enum class OpImplMode : uint32_t {
    IMPL_MODE_DEFAULT = 1,
    IMPL_MODE_HIGH_PERFORMANCE = 2,
    IMPL_MODE_HIGH_PRECISION = 4,
    IMPL_MODE_SUPER_PERFORMANCE = 8,
    IMPL_MODE_SUPPORT_OUT_OF_BOUND_INDEX = 16,
    IMPL_MODE_ENABLE_FLOAT_32_EXECUTION = 32,
    IMPL_MODE_ENABLE_HI_FLOAT_32_EXECUTION = 64,
    IMPL_MODE_KEEP_FP16 = 128
};

enum class OpExecMode : uint32_t { OP_EXEC_MODE_DEFAULT = 0, OP_EXEC_MODE_HF32 = 1 };

}  // namespace op
