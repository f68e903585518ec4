// SPDX-License-Identifier: Apache-2.0
// The macros with which the host code of operators reports and checks. A log/log.h of the project's own comes
// first.
#pragma once

#if __has_include_next(<log/log.h>)
#include_next <log/log.h>
#else

#include "runtime/acl/host_log.hpp"
#include "toolchain/slog.h"

#ifndef OP_MODULE_ID
#define OP_MODULE_ID 63
#endif

#define ASCENDSIM_OP_SAYS(error, ...) ::ascendsim::tiling::say(error, __FILE__, __LINE__, __VA_ARGS__)
#define OP_LOGE(name, ...) ASCENDSIM_OP_SAYS(true, __VA_ARGS__)
#define OP_LOGW(name, ...) static_cast<void>(0)
#define OP_LOGI(name, ...) static_cast<void>(0)
#define OP_LOGD(name, ...) static_cast<void>(0)
#define OP_LOGV(name, ...) static_cast<void>(0)
#define OP_EVENT(name, ...) static_cast<void>(0)
#define OP_LOGE_WITHOUT_REPORT(name, ...) OP_LOGE(name, __VA_ARGS__)
#define D_OP_LOGE(name, ...) OP_LOGE(name, __VA_ARGS__)
#define D_OP_LOGW(name, ...) OP_LOGW(name, __VA_ARGS__)
#define D_OP_LOGI(name, ...) static_cast<void>(0)
#define D_OP_LOGD(name, ...) static_cast<void>(0)
#define OpLogSub(module, level, name, ...)        \
    do {                                          \
        if ((level) == DLOG_ERROR) {              \
            ASCENDSIM_OP_SAYS(true, __VA_ARGS__); \
        }                                         \
    } while (false)
#define OpLogErrSub(module, level, name, ...) OP_LOGE(name, __VA_ARGS__)
#define REPORT_INNER_ERR_MSG(code, ...) ASCENDSIM_OP_SAYS(true, __VA_ARGS__)
#define REPORT_INNER_ERROR(code, ...) ASCENDSIM_OP_SAYS(true, __VA_ARGS__)
#define REPORT_CALL_ERROR(code, ...) ASCENDSIM_OP_SAYS(true, __VA_ARGS__)
#define REPORT_PREDEFINED_ERR_MSG(code, ...) static_cast<void>(0)

#define ASCENDSIM_OP_COMPLAINS(what, ...) ::ascendsim::tiling::complain(__FILE__, __LINE__, what, __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPE(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong shape of input:", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_ATTR(name, ...) ASCENDSIM_OP_COMPLAINS("wrong attribute:", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong size of attribute:", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT(name, ...) ASCENDSIM_OP_COMPLAINS("wrong input:", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPESIZE(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong number of elements of input:", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_FORMAT(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong layout of input:", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong type of input:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE(name, ...) ASCENDSIM_OP_COMPLAINS("wrong shape:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong shape:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong shapes:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong number of extents:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong number of extents:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong numbers of extents:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong number of elements:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong number of elements:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong numbers of elements:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT(name, ...) ASCENDSIM_OP_COMPLAINS("wrong layout:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong layout:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong layouts:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE(name, ...) ASCENDSIM_OP_COMPLAINS("wrong type:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong type:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong types:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_TENSORNUM(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong number of tensors:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong numbers of tensors:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE(name, ...) ASCENDSIM_OP_COMPLAINS("wrong value:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong value:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(name, ...) ASCENDSIM_OP_COMPLAINS("wrong values:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_LISTSIZE(name, ...) ASCENDSIM_OP_COMPLAINS("wrong length of list:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong length of list:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_STRIDE(name, ...) ASCENDSIM_OP_COMPLAINS("wrong stride:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_CONFIG(name, ...) ASCENDSIM_OP_COMPLAINS("wrong configuration:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_CONFIG_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong configuration:", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_ARGUMENT_WITH_REASON(name, ...) \
    ASCENDSIM_OP_COMPLAINS("wrong argument:", __VA_ARGS__)
#define OP_LOGE_FOR_FILE_PATH(name, ...) ASCENDSIM_OP_COMPLAINS("wrong path:", __VA_ARGS__)
#define OP_LOGE_FOR_FILE_OPEN(name, ...) ASCENDSIM_OP_COMPLAINS("cannot open:", __VA_ARGS__)
#define OP_LOGE_FOR_FILE_PARSE(name, ...) ASCENDSIM_OP_COMPLAINS("cannot read:", __VA_ARGS__)

#ifndef unlikely
#define unlikely(x) __builtin_expect((x), 0)
#define likely(x) __builtin_expect((x), 1)
#endif

#define OP_CHECK_IF(condition, log, ...) \
    do {                                 \
        if (condition) {                 \
            log;                         \
            __VA_ARGS__;                 \
        }                                \
    } while (false)
#define OP_CHECK(condition, log, ...) OP_CHECK_IF(condition, log, __VA_ARGS__)
#define OP_LOGE_IF(condition, result, name, ...) \
    OP_CHECK_IF(condition, OP_LOGE(name, __VA_ARGS__), return result)
#define OP_LOGW_IF(condition, name, ...) OP_CHECK_IF(condition, OP_LOGW(name, __VA_ARGS__), )
#define OP_LOGI_IF_RETURN(condition, result, name, ...) OP_CHECK_IF(condition, , return result)
#define OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result) \
    OP_CHECK_IF((pointer) == nullptr, OP_LOGE(context, "%s is null", #pointer), return result)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) \
    OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, ge::GRAPH_FAILED)

#endif
