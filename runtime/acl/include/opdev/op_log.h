// SPDX-License-Identifier: Apache-2.0
// What code around operators says. Its OP_CHECK tells what must hold, that of log/log.h what must not.
#pragma once

#include "log/log.h"
#include "opdev/common_types.h"

#undef OP_CHECK
#define OP_CHECK(condition, log, ...) \
    if (!(condition)) {               \
        log;                          \
        __VA_ARGS__;                  \
    }
#define OP_CHECK_NO_RETURN(condition, log) \
    if (!(condition)) {                    \
        log;                               \
    }
#ifndef CHECK_RET
#define CHECK_RET(condition, result) \
    do {                             \
        if (!(condition)) {          \
            return result;           \
        }                            \
    } while (false)
#endif
#ifndef CHECK_COND
#define CHECK_COND(condition, result, ...) \
    do {                                   \
        if (!(condition)) {                \
            OP_LOGE(result, __VA_ARGS__);  \
            return result;                 \
        }                                  \
    } while (false)
#endif
#ifndef CHECK_RET_CODE
#define CHECK_RET_CODE(code, ...)       \
    do {                                \
        if ((code) != ACLNN_SUCCESS) {  \
            OP_LOGE(code, __VA_ARGS__); \
            return code;                \
        }                               \
    } while (false)
#endif
