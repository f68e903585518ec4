// SPDX-License-Identifier: Apache-2.0
// Types and codes of the collective library, as documented.
#pragma once

#include <cstdint>

#include "kernels/ascendc/kernel_tiling/hccl_result.h"

#ifdef ASCENDSIM_PROGRAM
// A program may see the names that kernels use as well: they are the same.
#include "kernels/ascendc/ascendc/hccl.h"

using AscendC::HCCL_DATA_TYPE_BFP16;
using AscendC::HCCL_DATA_TYPE_FP16;
using AscendC::HCCL_DATA_TYPE_FP32;
using AscendC::HCCL_DATA_TYPE_FP64;
using AscendC::HCCL_DATA_TYPE_INT16;
using AscendC::HCCL_DATA_TYPE_INT32;
using AscendC::HCCL_DATA_TYPE_INT64;
using AscendC::HCCL_DATA_TYPE_INT8;
using AscendC::HCCL_DATA_TYPE_RESERVED;
using AscendC::HCCL_DATA_TYPE_UINT16;
using AscendC::HCCL_DATA_TYPE_UINT32;
using AscendC::HCCL_DATA_TYPE_UINT64;
using AscendC::HCCL_DATA_TYPE_UINT8;
using AscendC::HCCL_REDUCE_MAX;
using AscendC::HCCL_REDUCE_MIN;
using AscendC::HCCL_REDUCE_PROD;
using AscendC::HCCL_REDUCE_RESERVED;
using AscendC::HCCL_REDUCE_SUM;
using AscendC::HcclDataType;
using AscendC::HcclReduceOp;
#else
enum HcclReduceOp {
    HCCL_REDUCE_SUM = 0,
    HCCL_REDUCE_PROD = 1,
    HCCL_REDUCE_MAX = 2,
    HCCL_REDUCE_MIN = 3,
    HCCL_REDUCE_RESERVED = 255,
};

enum HcclDataType {
    HCCL_DATA_TYPE_INT8 = 0,
    HCCL_DATA_TYPE_INT16 = 1,
    HCCL_DATA_TYPE_INT32 = 2,
    HCCL_DATA_TYPE_FP16 = 3,
    HCCL_DATA_TYPE_FP32 = 4,
    HCCL_DATA_TYPE_INT64 = 5,
    HCCL_DATA_TYPE_UINT64 = 6,
    HCCL_DATA_TYPE_UINT8 = 7,
    HCCL_DATA_TYPE_UINT16 = 8,
    HCCL_DATA_TYPE_UINT32 = 9,
    HCCL_DATA_TYPE_FP64 = 10,
    HCCL_DATA_TYPE_BFP16 = 11,
    HCCL_DATA_TYPE_RESERVED = 255,
};
#endif

using HcclComm = void*;

inline constexpr std::uint32_t HCCL_ROOT_INFO_BYTES = 4108;
inline constexpr std::uint32_t HCCL_COMM_NAME_MAX = 128;
inline constexpr std::uint32_t ROOTINFO_INDENTIFIER_MAX_LENGTH = 128;

struct HcclRootInfo {
    char internal[HCCL_ROOT_INFO_BYTES];
};

enum HcclSendRecvType {
    HCCL_SEND = 0,
    HCCL_RECV = 1,
    HCCL_SEND_RECV_RESERVED,
};

/// One message of HcclBatchSendRecv().
struct HcclSendRecvItem {
    HcclSendRecvType sendRecvType;
    void* buf;
    std::uint64_t count;  // elements
    HcclDataType dataType;
    std::uint32_t remoteRank;
};
