// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdio>

#include "toolchain/slog.h"

#ifndef DLOG_TYPE_DEBUG
#define DLOG_TYPE_DEBUG 0
#define DLOG_TYPE_RUN 1
#endif

// Names of the module and the package, which libraries' builds pass by -D.
#ifndef OPS_UTILS_LOG_SUB_MOD_NAME
#define OPS_UTILS_LOG_SUB_MOD_NAME "OP_TILING"
#endif
#ifndef OPS_UTILS_LOG_PACKAGE_TYPE
#define OPS_UTILS_LOG_PACKAGE_TYPE ""
#endif

/// Whether a module says what is of a level: warnings and errors.
inline int32_t AlogCheckDebugLevel(uint32_t moduleId, int32_t level) {
    return CheckLogLevel(static_cast<int>(moduleId), level);
}

/// Says it, where it is a warning or an error; returns 0.
[[gnu::format(printf, 4, 5)]] inline int32_t AlogRecord(
    uint32_t moduleId, uint32_t /*type*/, int32_t level, const char* format, ...) {
    if (AlogCheckDebugLevel(moduleId, level) == 1) {
        std::va_list words;
        va_start(words, format);
        std::vfprintf(stderr, format, words);
        va_end(words);
        std::fputc('\n', stderr);
    }
    return 0;
}
