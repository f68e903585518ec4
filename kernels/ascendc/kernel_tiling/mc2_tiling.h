// SPDX-License-Identifier: Apache-2.0
// Tiling data of kernels that communicate: their sizes are the vendor's, their contents our own.
#pragma once

#include <cstdint>

/// Tasks of the communication server, as their documentation numbers them.
enum HcclCMDType {
    HCCL_CMD_INVALID = 0,
    HCCL_CMD_BROADCAST = 1,
    HCCL_CMD_ALLREDUCE = 2,
    HCCL_CMD_REDUCE = 3,
    HCCL_CMD_SEND = 4,
    HCCL_CMD_RECEIVE = 5,
    HCCL_CMD_ALLGATHER = 6,
    HCCL_CMD_REDUCE_SCATTER = 7,
    HCCL_CMD_ALLTOALLV = 8,
    HCCL_CMD_ALLTOALLVC = 9,
    HCCL_CMD_ALLTOALL = 10,
    HCCL_CMD_GATHER = 11,
    HCCL_CMD_SCATTER = 12,
    HCCL_CMD_BATCH_SEND_RECV = 13,
    HCCL_CMD_BATCH_PUT = 14,
    HCCL_CMD_BATCH_GET = 15,
    HCCL_CMD_ALLGATHER_V = 16,
    HCCL_CMD_REDUCE_SCATTER_V = 17,
    HCCL_CMD_BATCH_WRITE = 18,
    HCCL_CMD_HALF_ALLTOALLV = 20,
    HCCL_CMD_ALL
};

/// What Mc2CcTilingConfig fills for the server as a whole. The first member of a kernel's tiling data.
struct Mc2InitTiling {
    static constexpr uint32_t filled = 0x4d433249;
    uint32_t mark = 0;  // `filled`, once it is
    uint8_t reserved[60]{};
};

/// The same for one kind of task.
struct Mc2CcTiling {
    static constexpr uint32_t filled = 0x4d433243;
    uint32_t mark = 0;
    uint32_t opType = 0;  // HcclCMDType
    uint32_t reduceType = 0;
    uint8_t skipLocalRankCopy = 0;
    uint8_t skipBufferWindowCopy = 0;
    uint8_t stepSize = 0;
    uint8_t commEngine = 0;
    char groupName[128]{};
    char algConfig[128]{};
    uint8_t reserved[8]{};
};

static_assert(sizeof(Mc2InitTiling) == 64 && sizeof(Mc2CcTiling) == 280);

namespace AscendC {

using ::Mc2CcTiling;
using ::Mc2InitTiling;

namespace tiling {

using ::Mc2CcTiling;
using ::Mc2InitTiling;

}  // namespace tiling
}  // namespace AscendC
