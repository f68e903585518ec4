// SPDX-License-Identifier: Apache-2.0
// The macros with which the host code of operators reports and checks. A log/log.h of the project's own comes
// first.
#pragma once

#if __has_include_next(<log/log.h>)
#include_next <log/log.h>
#else

#include "toolchain/slog.h"

#define OP_LOGE(name, ...) dlog_error(OP, __VA_ARGS__)
#define OP_LOGW(name, ...) dlog_warn(OP, __VA_ARGS__)
#define OP_LOGI(name, ...) static_cast<void>(0)
#define OP_LOGD(name, ...) static_cast<void>(0)
#define OP_LOGV(name, ...) static_cast<void>(0)
#define OP_EVENT(name, ...) static_cast<void>(0)
#define OP_LOGE_WITHOUT_REPORT(name, ...) OP_LOGE(name, __VA_ARGS__)

#define OP_CHECK_IF(condition, log, otherwise) \
    do {                                       \
        if (condition) {                       \
            log;                               \
            otherwise;                         \
        }                                      \
    } while (false)
#define OP_LOGE_IF(condition, result, name, ...) \
    OP_CHECK_IF(condition, OP_LOGE(name, __VA_ARGS__), return result)
#define OP_LOGW_IF(condition, name, ...) OP_CHECK_IF(condition, OP_LOGW(name, __VA_ARGS__), )
#define OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result) \
    OP_CHECK_IF((pointer) == nullptr, OP_LOGE(context, "%s is null", #pointer), return result)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) \
    OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, ge::GRAPH_FAILED)

#endif
