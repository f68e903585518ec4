// SPDX-License-Identifier: Apache-2.0
// Types and codes of the ACL calls, as documented.
#pragma once

#include <cstddef>
#include <cstdint>

#include "models/port/pipe.hpp"

using aclError = int;
using aclFloat16 = uint16_t;
using aclrtStream = void*;
using aclrtEvent = void*;
using aclrtContext = void*;
using aclrtNotify = void*;
using aclrtFuncHandle = void*;
using aclrtBinHandle = void*;

enum aclDataType {
    ACL_DT_UNDEFINED = -1,
    ACL_FLOAT = 0,
    ACL_FLOAT16 = 1,
    ACL_INT8 = 2,
    ACL_INT32 = 3,
    ACL_UINT8 = 4,
    ACL_INT16 = 6,
    ACL_UINT16 = 7,
    ACL_UINT32 = 8,
    ACL_INT64 = 9,
    ACL_UINT64 = 10,
    ACL_DOUBLE = 11,
    ACL_BOOL = 12,
    ACL_STRING = 13,
    ACL_COMPLEX64 = 16,
    ACL_COMPLEX128 = 17,
    ACL_BF16 = 27,
    ACL_INT4 = 29,
    ACL_UINT1 = 30,
    ACL_COMPLEX32 = 33,
    ACL_HIFLOAT8 = 34,
    ACL_FLOAT8_E5M2 = 35,
    ACL_FLOAT8_E4M3FN = 36,
    ACL_FLOAT8_E8M0 = 37,
    ACL_FLOAT6_E3M2 = 38,
    ACL_FLOAT6_E2M3 = 39,
    ACL_FLOAT4_E2M1 = 40,
    ACL_FLOAT4_E1M2 = 41,
};

enum aclFormat {
    ACL_FORMAT_UNDEFINED = -1,
    ACL_FORMAT_NCHW = 0,
    ACL_FORMAT_NHWC = 1,
    ACL_FORMAT_ND = 2,
    ACL_FORMAT_NC1HWC0 = 3,
    ACL_FORMAT_FRACTAL_Z = 4,
    ACL_FORMAT_NC1HWC0_C04 = 12,
    ACL_FORMAT_HWCN = 16,
    ACL_FORMAT_NDHWC = 27,
    ACL_FORMAT_FRACTAL_NZ = 29,
    ACL_FORMAT_NCDHW = 30,
    ACL_FORMAT_NDC1HWC0 = 32,
    ACL_FRACTAL_Z_3D = 33,
    ACL_FORMAT_NC = 35,
    ACL_FORMAT_NCL = 47,
    ACL_FORMAT_FRACTAL_NZ_C0_16 = 50,
    ACL_FORMAT_FRACTAL_NZ_C0_32 = 51,
    ACL_FORMAT_FRACTAL_NZ_C0_2 = 52,
    ACL_FORMAT_FRACTAL_NZ_C0_4 = 53,
    ACL_FORMAT_FRACTAL_NZ_C0_8 = 54,
};

enum aclrtMemMallocPolicy {
    ACL_MEM_MALLOC_HUGE_FIRST,
    ACL_MEM_MALLOC_HUGE_ONLY,
    ACL_MEM_MALLOC_NORMAL_ONLY,
    ACL_MEM_MALLOC_HUGE_FIRST_P2P,
    ACL_MEM_MALLOC_HUGE_ONLY_P2P,
    ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
    ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
    ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000,
};

enum aclrtMemcpyKind {
    ACL_MEMCPY_HOST_TO_HOST,
    ACL_MEMCPY_HOST_TO_DEVICE,
    ACL_MEMCPY_DEVICE_TO_HOST,
    ACL_MEMCPY_DEVICE_TO_DEVICE,
    ACL_MEMCPY_DEFAULT,
};

enum aclrtMemAttr {
    ACL_DDR_MEM,
    ACL_HBM_MEM,
    ACL_DDR_MEM_HUGE,
    ACL_DDR_MEM_NORMAL,
    ACL_HBM_MEM_HUGE,
    ACL_HBM_MEM_NORMAL,
};

enum aclrtEventRecordedStatus {
    ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
    ACL_EVENT_RECORDED_STATUS_COMPLETE = 1,
};

enum aclrtEventStatus { ACL_EVENT_STATUS_COMPLETE = 0, ACL_EVENT_STATUS_NOT_READY = 1 };

enum aclrtStreamStatus {
    ACL_STREAM_STATUS_COMPLETE = 0,
    ACL_STREAM_STATUS_NOT_READY = 1,
    ACL_STREAM_STATUS_RESERVED = 0xffff,
};

/// Modes of aclrtSetStreamFailureMode.
inline constexpr uint64_t ACL_CONTINUE_ON_FAILURE = 0;
inline constexpr uint64_t ACL_STOP_ON_FAILURE = 1;

enum aclrtStreamAttr {
    ACL_STREAM_ATTR_FAILURE_MODE = 1,
    ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK = 2,
    ACL_STREAM_ATTR_USER_CUSTOM_TAG = 3,
    ACL_STREAM_ATTR_CACHE_OP_INFO = 4,
    ACL_STREAM_ATTR_PRIORITY = 5,
};

union aclrtStreamAttrValue {
    uint64_t failureMode;
    uint32_t overflowSwitch;
    uint32_t userCustomTag;
    uint32_t cacheOpInfoSwitch;
    uint32_t streamPriority;
    uint32_t reserve[4];
};

enum aclrtCallbackBlockType { ACL_CALLBACK_NO_BLOCK, ACL_CALLBACK_BLOCK };

enum aclrtRunMode { ACL_DEVICE, ACL_HOST };

enum aclSysParamOpt {
    ACL_OPT_DETERMINISTIC = 0,
    ACL_OPT_ENABLE_DEBUG_KERNEL = 1,
    ACL_OPT_STRONG_CONSISTENCY = 2
};

enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 };

enum aclrtDevAttr {
    ACL_DEV_ATTR_AICPU_CORE_NUM = 1,
    ACL_DEV_ATTR_AICORE_CORE_NUM = 101,
    ACL_DEV_ATTR_CUBE_CORE_NUM = 102,
    ACL_DEV_ATTR_VECTOR_CORE_NUM = 201,
};

enum aclDeviceInfo {
    ACL_DEVICE_INFO_UNDEFINED = -1,
    ACL_DEVICE_INFO_AI_CORE_NUM = 0,
    ACL_DEVICE_INFO_VECTOR_CORE_NUM = 1,
    ACL_DEVICE_INFO_L2_SIZE = 2,
};

inline constexpr aclError ACL_SUCCESS = 0;
inline constexpr aclError ACL_ERROR_NONE = 0;
inline constexpr aclError ACL_RT_SUCCESS = 0;
inline constexpr aclError ACL_ERROR_INVALID_PARAM = 100000;
inline constexpr aclError ACL_ERROR_UNINITIALIZE = 100001;
inline constexpr aclError ACL_ERROR_REPEAT_INITIALIZE = 100002;
inline constexpr aclError ACL_ERROR_RT_PARAM_INVALID = 107000;
inline constexpr aclError ACL_ERROR_RT_INVALID_DEVICEID = 107001;
inline constexpr aclError ACL_ERROR_RT_CONTEXT_NULL = 107002;
inline constexpr aclError ACL_ERROR_RT_STREAM_CONTEXT = 107003;
inline constexpr aclError ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID = 107006;
inline constexpr aclError ACL_ERROR_RT_FILE_WRITE = 107010;
inline constexpr aclError ACL_ERROR_RT_STREAM_SUBSCRIBE = 107011;
inline constexpr aclError ACL_ERROR_RT_THREAD_SUBSCRIBE = 107012;
inline constexpr aclError ACL_ERROR_RT_STREAM_NO_CB_REG = 107015;
inline constexpr aclError ACL_ERROR_RT_INVALID_HANDLE = 107017;
inline constexpr aclError ACL_ERROR_RT_STREAM_ABORT = 107023;
inline constexpr aclError ACL_ERROR_RT_CAPTURE_DEPENDENCY = 107024;
inline constexpr aclError ACL_ERROR_RT_STREAM_UNJOINED = 107025;
inline constexpr aclError ACL_ERROR_RT_MODEL_CAPTURED = 107026;
inline constexpr aclError ACL_ERROR_STREAM_TASK_GROUP_STATUS = 107033;
inline constexpr aclError ACL_ERROR_STREAM_TASK_GROUP_INTR = 107034;
inline constexpr aclError ACL_ERROR_RT_INSUFFICIENT_INPUT_ARRAY = 107039;
inline constexpr aclError ACL_ERROR_RT_MODEL_UPDATE_FAILED = 107040;
inline constexpr aclError ACL_ERROR_RT_TASK_TYPE_NOT_SUPPORT = 507009;
inline constexpr aclError ACL_ERROR_RT_STREAM_CAPTURED = 107027;
inline constexpr aclError ACL_ERROR_RT_EVENT_CAPTURED = 107028;
inline constexpr aclError ACL_ERROR_RT_STREAM_NOT_CAPTURED = 107029;
inline constexpr aclError ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT = 107030;
inline constexpr aclError ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT = 107031;
inline constexpr aclError ACL_ERROR_STREAM_CAPTURE_CONFLICT = 107032;
inline constexpr aclError ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED = 107036;
inline constexpr aclError ACL_ERROR_RT_MODEL_RUNNING = 107037;
inline constexpr aclError ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD = 107038;
inline constexpr aclError ACL_ERROR_RT_CAPTURE_MODE_BLOCK_ASYNC = 107041;
inline constexpr aclError ACL_ERROR_BAD_ALLOC = 200000;
inline constexpr aclError ACL_ERROR_API_NOT_SUPPORT = 200001;
inline constexpr aclError ACL_ERROR_INVALID_DEVICE = 200002;
inline constexpr aclError ACL_ERROR_FEATURE_UNSUPPORTED = 200006;
inline constexpr aclError ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000;
inline constexpr aclError ACL_ERROR_RT_MEMORY_ALLOCATION = 207001;
inline constexpr aclError ACL_ERROR_STORAGE_OVER_LIMIT = 300000;
inline constexpr aclError ACL_ERROR_INTERNAL_ERROR = 500000;
inline constexpr aclError ACL_ERROR_FAILURE = 500001;
inline constexpr aclError ACL_ERROR_GE_FAILURE = 500002;
inline constexpr aclError ACL_ERROR_RT_FAILURE = 500003;
inline constexpr aclError ACL_ERROR_RT_REPORT_TIMEOUT = 507012;
inline constexpr aclError ACL_ERROR_RT_STREAM_SYNC_TIMEOUT = 507046;
inline constexpr aclError ACL_ERROR_RT_EVENT_SYNC_TIMEOUT = 507047;
inline constexpr aclError ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED = 507903;

inline constexpr uint32_t ACL_EVENT_TIME_LINE = 0x00000008U;
inline constexpr uint32_t ACL_EVENT_EXTERNAL = 0x00000020U;
inline constexpr uint32_t ACL_STREAM_WAIT_VALUE_GEQ = 0;
inline constexpr uint32_t ACL_STREAM_WAIT_VALUE_EQ = 1;
inline constexpr uint32_t ACL_STREAM_WAIT_VALUE_AND = 2;
inline constexpr uint32_t ACL_STREAM_WAIT_VALUE_NOR = 3;
// Their names in older documents.
inline constexpr uint32_t ACL_VALUE_WAIT_GEQ = 0;
inline constexpr uint32_t ACL_VALUE_WAIT_EQ = 1;
inline constexpr uint32_t ACL_VALUE_WAIT_AND = 2;
inline constexpr uint32_t ACL_VALUE_WAIT_NOR = 3;
inline constexpr uint64_t ACL_NOTIFY_DEFAULT = 0;
inline constexpr uint64_t ACL_NOTIFY_DEVICE_USE_ONLY = 1;
inline constexpr uint32_t ACL_EVENT_SYNC = 0x00000001U;
inline constexpr uint32_t ACL_EVENT_CAPTURE_STREAM_PROGRESS = 0x00000002U;
inline constexpr uint32_t ACL_STREAM_FAST_LAUNCH = 0x00000001U;
inline constexpr uint32_t ACL_STREAM_FAST_SYNC = 0x00000002U;
inline constexpr uint32_t ACL_STREAM_PERSISTENT = 0x00000004U;
inline constexpr uint32_t ACL_STREAM_HUGE = 0x00000008U;
inline constexpr uint32_t ACL_STREAM_CPU_SCHEDULE = 0x00000010U;
inline constexpr uint32_t ACL_STREAM_DEVICE_USE_ONLY = 0x00000020U;

extern "C" {

/// Bytes of one element; 0 for types without one.
size_t aclDataTypeSize(aclDataType dataType);
float aclFloat16ToFloat(aclFloat16 value);
aclFloat16 aclFloatToFloat16(float value);
}
