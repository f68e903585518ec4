// SPDX-License-Identifier: Apache-2.0
// The log of host code. Errors and warnings go to standard error, the rest nowhere. A log.h or slog.h of the
// project's own comes first.
#pragma once

#if __has_include_next(<toolchain/slog.h>)
#include_next <toolchain/slog.h>
#else

#include <cstdio>

enum { SLOG = 0, RUNTIME = 3, HCCL = 4, FE = 31, GE = 45, ASCENDCL = 48, OP = 63 };

enum { DLOG_DEBUG = 0, DLOG_INFO = 1, DLOG_WARN = 2, DLOG_ERROR = 3, DLOG_EVENT = 16 };

inline int CheckLogLevel(int /*module*/, int level) {
    return level == DLOG_WARN || level == DLOG_ERROR ? 1 : 0;
}

inline int dlog_setlevel(int /*module*/, int /*level*/, int /*events*/) {
    return 0;
}

inline int dlog_getlevel(int /*module*/, int* events) {
    if (events != nullptr) {
        *events = 0;
    }
    return DLOG_WARN;
}

#define ASCENDSIM_LOG(word, ...)                                   \
    do {                                                           \
        std::fprintf(stderr, word " %s:%d: ", __FILE__, __LINE__); \
        std::fprintf(stderr, __VA_ARGS__);                         \
        std::fprintf(stderr, "\n");                                \
    } while (false)
#define dlog_error(module, ...) ASCENDSIM_LOG("error:", __VA_ARGS__)
#define dlog_warn(module, ...) ASCENDSIM_LOG("warning:", __VA_ARGS__)
#define dlog_info(module, ...) static_cast<void>(0)
#define dlog_debug(module, ...) static_cast<void>(0)
#define dlog_event(module, ...) static_cast<void>(0)

#endif
