// SPDX-License-Identifier: Apache-2.0
// Communication between chips, declared so that kernels which use it compile. A run has one chip: a call that
// would need another stops it with its name.
#pragma once

#include "kernels/ascendc/ascendc/system.h"

struct Mc2InitTiling {
    uint8_t reserved[64]{};
};

struct Mc2CcTiling {
    uint8_t reserved[280]{};
};

struct Mc2ServerCfg {
    uint32_t version = 0;
    uint8_t debugMode = 0;
    uint8_t sendArgIndex = 0;
    uint8_t recvArgIndex = 0;
    uint8_t commOutArgIndex = 0;
    uint8_t reserved[8]{};
};

struct Mc2HcommCfg {
    uint8_t skipLocalRankCopy = 0;
    uint8_t skipBufferWindowCopy = 0;
    uint8_t stepSize = 0;
    char reserved[13]{};
    char groupName[128]{};
    char algConfig[128]{};
    uint32_t opType = 0;
    uint32_t reduceType = 0;
};

namespace AscendC {

using ::Mc2CcTiling;
using ::Mc2InitTiling;

inline constexpr uint32_t HCCL_MAX_RANK_NUM = 32;
inline constexpr uint32_t HCCL_GROUP_ID_0 = 0;

using HcclHandle = int8_t;
inline constexpr HcclHandle INVALID_HANDLE_ID = -1;

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
    HCCL_DATA_TYPE_INT128 = 12,
    HCCL_DATA_TYPE_RESERVED = 255,
};

enum HcclReduceOp {
    HCCL_REDUCE_SUM = 0,
    HCCL_REDUCE_PROD = 1,
    HCCL_REDUCE_MAX = 2,
    HCCL_REDUCE_MIN = 3,
    HCCL_REDUCE_RESERVED = 255,
};

enum HcclServerType {
    HCCL_SERVER_TYPE_AICPU = 0,
    HCCL_SERVER_TYPE_CCU,
    HCCL_SERVER_TYPE_END,
};

enum class CoreSyncMode : uint8_t { Default = 0 };

struct HcclServerConfig {
    CoreType type = CoreType::AIV;
    int64_t blockId = 0;
};

inline constexpr HcclServerConfig DEFAULT_CFG{};

/// Sizes and addresses of a peer's windows, as the runtime hands them over.
struct MemDetails {
    uint64_t size = 0;
    uint64_t addr = 0;
    uint32_t key = 0;
};

struct IbVerbsData {
    MemDetails remoteInput;
    MemDetails remoteOutput;
    MemDetails localInput;
    MemDetails localOutput;
    uint8_t res[24]{};
};

struct HcclCombineOpParam {
    uint64_t workSpace = 0;
    uint64_t workSpaceSize = 0;
    uint32_t rankId = 0;
    uint32_t rankNum = 0;
    uint64_t winSize = 0;
    uint64_t windowsIn[HCCL_MAX_RANK_NUM]{};
    uint64_t windowsOut[HCCL_MAX_RANK_NUM]{};
    uint8_t res[8328]{};
    uint8_t multiFlag = 0;
    IbVerbsData* data = nullptr;
    uint64_t dataSize = 0;
};

namespace HcclContextDef {
using AscendC::HcclCombineOpParam;
}  // namespace HcclContextDef

template <uint32_t index>
inline GM_ADDR GetHcclContext(Site site = Site::here()) {
    ascendsim::isa::not_implemented("GetHcclContext", site);
}

template <uint32_t index>
inline void SetHcclContext(GM_ADDR, Site site = Site::here()) {
    ascendsim::isa::not_implemented("SetHcclContext", site);
}

/// The communication object. Its last parameter is the call site, deduced as for every other call.
template <HcclServerType serverType = HCCL_SERVER_TYPE_AICPU, const auto& config = DEFAULT_CFG>
class Hccl {
public:
    void Init(GM_ADDR, Site site = Site::here()) { Stop("Hccl::Init", site); }

    void Init(GM_ADDR, const __gm__ void*, Site site = Site::here()) { Stop("Hccl::Init", site); }

    void InitV2(GM_ADDR, const void*, Site site = Site::here()) { Stop("Hccl::InitV2", site); }

    template <class... Arguments>
    int32_t SetCcTiling(Arguments&&...) {
        Stop("Hccl::SetCcTiling", Site{});
    }

    template <class... Arguments>
    int32_t SetCcTilingV2(Arguments&&...) {
        Stop("Hccl::SetCcTilingV2", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle AllReduce(Arguments&&...) {
        Stop("Hccl::AllReduce", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle AllGather(Arguments&&...) {
        Stop("Hccl::AllGather", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle ReduceScatter(Arguments&&...) {
        Stop("Hccl::ReduceScatter", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle AlltoAll(Arguments&&...) {
        Stop("Hccl::AlltoAll", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle AlltoAllV(Arguments&&...) {
        Stop("Hccl::AlltoAllV", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle AlltoAllvWrite(Arguments&&...) {
        Stop("Hccl::AlltoAllvWrite", Site{});
    }

    template <bool commit = false, class... Arguments>
    HcclHandle BatchWrite(Arguments&&...) {
        Stop("Hccl::BatchWrite", Site{});
    }

    void Commit(HcclHandle, Site site = Site::here()) { Stop("Hccl::Commit", site); }

    int32_t Wait(HcclHandle, Site site = Site::here()) { Stop("Hccl::Wait", site); }

    int32_t Query(HcclHandle, Site site = Site::here()) { Stop("Hccl::Query", site); }

    template <bool sync = true, class... Arguments>
    int32_t Iterate(HcclHandle, Arguments&&...) {
        Stop("Hccl::Iterate", Site{});
    }

    void InterHcclGroupSync(int8_t, HcclHandle, Site site = Site::here()) {
        Stop("Hccl::InterHcclGroupSync", site);
    }

    template <bool sync = true>
    void Finalize(Site site = Site::here()) {
        Stop("Hccl::Finalize", site);
    }

    void QueueBarrier(uint16_t, Site site = Site::here()) { Stop("Hccl::QueueBarrier", site); }

    GM_ADDR GetWindowsInAddr(uint32_t, Site site = Site::here()) { Stop("Hccl::GetWindowsInAddr", site); }

    GM_ADDR GetWindowsOutAddr(uint32_t, Site site = Site::here()) { Stop("Hccl::GetWindowsOutAddr", site); }

    uint32_t GetRankId(Site site = Site::here()) { Stop("Hccl::GetRankId", site); }

    uint32_t GetRankDim(Site site = Site::here()) { Stop("Hccl::GetRankDim", site); }

    uint16_t GetQueueNum(Site site = Site::here()) { Stop("Hccl::GetQueueNum", site); }

    bool SetReduceDataTypeAbility(HcclReduceOp, HcclDataType, HcclDataType) { return false; }

private:
    [[noreturn]] static void Stop(const char* call, Site site) {
        ascendsim::isa::not_implemented(call, site);
    }
};

}  // namespace AscendC
