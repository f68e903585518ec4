// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "toolchain/slog.h"

#ifndef DLOG_TYPE_DEBUG
#define DLOG_TYPE_DEBUG 0
#define DLOG_TYPE_SECURITY 1
#define DLOG_TYPE_RUN 2
#endif

// Builds of operator libraries state who speaks.
#ifndef OPS_UTILS_LOG_SUB_MOD_NAME
#define OPS_UTILS_LOG_SUB_MOD_NAME "OP_TILING"
#endif
#ifndef OPS_UTILS_LOG_PACKAGE_TYPE
#define OPS_UTILS_LOG_PACKAGE_TYPE ""
#endif

/// Whether a module says what is of a level: errors alone.
inline int32_t AlogCheckDebugLevel(uint32_t /*moduleId*/, int32_t level) {
    return level >= DLOG_ERROR ? 1 : 0;
}

/// Says it, where it is an error.
[[gnu::format(printf, 4, 5)]] inline void AlogRecord(
    uint32_t /*moduleId*/, uint32_t /*type*/, int32_t level, const char* format, ...) {
    if (AlogCheckDebugLevel(0, level) == 0) {
        return;
    }
    std::va_list words;
    va_start(words, format);
    std::vfprintf(stderr, format, words);
    va_end(words);
    std::fputc('\n', stderr);
}
