// SPDX-License-Identifier: Apache-2.0
// Communication of kernels with those of other devices, through the communication server of each. Direct
// access to the memory of other ranks is not there: a call that would need it stops the run with its name.
#pragma once

#include <cstddef>

#include "kernels/ascendc/ascendc/system.h"
#include "kernels/ascendc/kernel_tiling/hccl_result.h"
#include "kernels/ascendc/kernel_tiling/mc2_tiling.h"
#include "models/port/exchange_port.hpp"

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

inline constexpr uint32_t HCCL_MAX_RANK_NUM = 32;
inline constexpr uint32_t HCCL_GROUP_ID_0 = 0;
inline constexpr uint32_t HCCL_GROUP_ID_1 = 1;
inline constexpr int32_t HCCL_FAILED = -1;

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

/// The kind of core that hands tasks to the server; DEFAULT: the one that calls.
enum class CoreType : uint8_t { DEFAULT, ON_AIV, ON_AIC };

struct HcclServerConfig {
    CoreType type = CoreType::DEFAULT;
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

// Where the host says who a rank is: it knows no more of this struct.
static_assert(offsetof(HcclCombineOpParam, rankId) == ascendsim::isa::context_rank_at &&
              offsetof(HcclCombineOpParam, rankNum) == ascendsim::isa::context_size_at &&
              sizeof(HcclCombineOpParam) <= ascendsim::isa::context_bytes);

/// The context of a communicator: what SetHcclContext has set, or what the host has given the device.
template <uint32_t index>
inline GM_ADDR GetHcclContext(Site site = Site::here()) {
    return reinterpret_cast<GM_ADDR>(ascendsim::isa::exchange::context(index, site));
}

template <uint32_t index>
inline void SetHcclContext(GM_ADDR context, Site site = Site::here()) {
    ascendsim::isa::exchange::set_context(index, reinterpret_cast<std::byte*>(context), site);
}

/// A core's end of the communication server. All cores that wait must make the same calls in the same order;
/// one of them, block `config.blockId`, hands the tasks to the server, the others only count along.
template <HcclServerType serverType = HCCL_SERVER_TYPE_AICPU, const auto& config = DEFAULT_CFG>
class Hccl {
public:
    void Init(GM_ADDR context, Site site = Site::here()) { Open(context, nullptr, site); }

    void Init(GM_ADDR context, const __gm__ void* initTiling, Site site = Site::here()) {
        Open(context, initTiling, site);
    }

    void InitV2(GM_ADDR context, const void* initTiling, Site site = Site::here()) {
        if (initTiling == nullptr) {
            Fail("Hccl::InitV2", "the tiling data are null", site);
        }
        Open(context, initTiling, site);
        checksTasks_ = true;
    }

    int32_t SetCcTiling(const __gm__ void* tiling, Site site = Site::here()) {
        return TakeTiling("Hccl::SetCcTiling", tiling, site);
    }

    int32_t SetCcTilingV2(uint64_t offset, Site site = Site::here()) {
        if (tiling_ == nullptr) {
            Fail("Hccl::SetCcTilingV2", "InitV2 comes before it", site);
        }
        return TakeTiling("Hccl::SetCcTilingV2", static_cast<const char*>(tiling_) + offset, site);
    }

    template <bool commit = false>
    HcclHandle AllReduce(GM_ADDR sendBuf,
                         GM_ADDR recvBuf,
                         uint64_t count,
                         HcclDataType dataType,
                         HcclReduceOp op,
                         uint8_t repeat = 1,
                         Site site = Site::here()) {
        CheckReduction("Hccl::AllReduce", dataType, op, site);
        Exchange what = Make(Kind::all_reduce, sendBuf, recvBuf, count, dataType, 0, repeat);
        what.operation = op;
        return Prepare<commit>("Hccl::AllReduce", HCCL_CMD_ALLREDUCE, what, site);
    }

    template <bool commit = false>
    HcclHandle AllGather(GM_ADDR sendBuf,
                         GM_ADDR recvBuf,
                         uint64_t sendCount,
                         HcclDataType dataType,
                         uint64_t strideCount,
                         uint8_t repeat = 1,
                         Site site = Site::here()) {
        return Prepare<commit>(
            "Hccl::AllGather",
            HCCL_CMD_ALLGATHER,
            Make(Kind::all_gather, sendBuf, recvBuf, sendCount, dataType, strideCount, repeat),
            site);
    }

    template <bool commit = false>
    HcclHandle ReduceScatter(GM_ADDR sendBuf,
                             GM_ADDR recvBuf,
                             uint64_t recvCount,
                             HcclDataType dataType,
                             HcclReduceOp op,
                             uint64_t strideCount,
                             uint8_t repeat = 1,
                             Site site = Site::here()) {
        CheckReduction("Hccl::ReduceScatter", dataType, op, site);
        Exchange what =
            Make(Kind::reduce_scatter, sendBuf, recvBuf, recvCount, dataType, strideCount, repeat);
        what.operation = op;
        return Prepare<commit>("Hccl::ReduceScatter", HCCL_CMD_REDUCE_SCATTER, what, site);
    }

    template <bool commit = false>
    HcclHandle AlltoAll(GM_ADDR sendBuf,
                        GM_ADDR recvBuf,
                        uint64_t dataCount,
                        HcclDataType dataType,
                        uint64_t strideCount = 0,
                        uint8_t repeat = 1,
                        Site site = Site::here()) {
        return Prepare<commit>(
            "Hccl::AlltoAll",
            HCCL_CMD_ALLTOALL,
            Make(Kind::all_to_all, sendBuf, recvBuf, dataCount, dataType, strideCount, repeat),
            site);
    }

    template <bool commit = false>
    HcclHandle AlltoAllV(GM_ADDR sendBuf,
                         void* sendCounts,
                         void* sdispls,
                         HcclDataType sendType,
                         GM_ADDR recvBuf,
                         void* recvCounts,
                         void* rdispls,
                         HcclDataType recvType,
                         uint8_t repeat = 1,
                         Site site = Site::here()) {
        constexpr const char* call = "Hccl::AlltoAllV";
        if (sendType != recvType) {
            Fail(call, "the types sent and received differ", site);
        }
        if (repeat != 1) {
            Fail(call, "repeat is not simulated here: call it once for each round", site);
        }
        Exchange what = Make(Kind::all_to_all_v, sendBuf, recvBuf, 0, sendType, 0, repeat);
        what.send_counts = List(sendCounts, call, site);
        what.send_offsets = List(sdispls, call, site);
        what.receive_counts = List(recvCounts, call, site);
        what.receive_offsets = List(rdispls, call, site);
        return Prepare<commit>(call, HCCL_CMD_ALLTOALLV, what, site);
    }

    template <bool commit = false>
    HcclHandle AlltoAllvWrite(GM_ADDR, GM_ADDR, GM_ADDR, uint64_t, uint64_t, Site site = Site::here()) {
        Stop("Hccl::AlltoAllvWrite", site);
    }

    template <bool commit = false>
    HcclHandle BatchWrite(GM_ADDR, uint32_t, uint16_t = 0, Site site = Site::here()) {
        Stop("Hccl::BatchWrite", site);
    }

    /// Lets the server begin the next round of a task. What it sends must be in global memory.
    void Commit(HcclHandle handle, Site site = Site::here()) {
        const uint32_t task = TaskOf("Hccl::Commit", handle, site);
        if (Issues()) {
            ascendsim::isa::exchange::commit(context_, task, site);
        }
    }

    /// Waits for the next round of a task that this core has not waited for.
    int32_t Wait(HcclHandle handle, Site site = Site::here()) {
        const uint32_t task = TaskOf("Hccl::Wait", handle, site);
        ascendsim::isa::exchange::wait(context_, task, waited_[handle]++, site);
        return HCCL_SUCCESS;
    }

    /// Rounds of a task that are over.
    int32_t Query(HcclHandle handle, Site site = Site::here()) {
        return static_cast<int32_t>(
            ascendsim::isa::exchange::finished(context_, TaskOf("Hccl::Query", handle, site), site));
    }

    template <bool sync = true>
    int32_t Iterate(HcclHandle, uint16_t*, uint16_t, Site site = Site::here()) {
        Stop("Hccl::Iterate", site);
    }

    void InterHcclGroupSync(int8_t, HcclHandle, Site site = Site::here()) {
        Stop("Hccl::InterHcclGroupSync", site);
    }

    /// Ends the communication of this launch: waits for the server.
    template <bool sync = true>
    void Finalize(Site site = Site::here()) {
        CheckOpen("Hccl::Finalize", site);
        if (Issues()) {
            ascendsim::isa::exchange::finalise(context_, site);
        }
    }

    template <class... Arguments>
    void QueueBarrier(Arguments&&...) {
        Stop("Hccl::QueueBarrier", Site{});
    }

    GM_ADDR GetWindowsInAddr(uint32_t, Site site = Site::here()) { Stop("Hccl::GetWindowsInAddr", site); }

    GM_ADDR GetWindowsOutAddr(uint32_t, Site site = Site::here()) { Stop("Hccl::GetWindowsOutAddr", site); }

    uint32_t GetRankId(Site site = Site::here()) {
        CheckOpen("Hccl::GetRankId", site);
        return rank_.rank;
    }

    uint32_t GetRankDim(Site site = Site::here()) {
        CheckOpen("Hccl::GetRankDim", site);
        return rank_.size;
    }

    uint16_t GetQueueNum(Site site = Site::here()) { Stop("Hccl::GetQueueNum", site); }

    bool SetReduceDataTypeAbility(HcclReduceOp, HcclDataType, HcclDataType) { return false; }

private:
    using Exchange = ascendsim::isa::KernelExchange;
    using Kind = Exchange::Kind;

    static constexpr uint32_t most_tasks = ascendsim::isa::most_exchange_tasks;

    static bool Issues() {
        if constexpr (config.type == CoreType::ON_AIV) {
            return g_coreType != AIC && GetBlockIdx() == config.blockId;
        } else if constexpr (config.type == CoreType::ON_AIC) {
            return g_coreType != AIV && GetBlockIdx() == config.blockId;
        } else {
            return GetBlockIdx() == config.blockId;
        }
    }

    static Exchange Make(Kind kind,
                         GM_ADDR send,
                         GM_ADDR receive,
                         uint64_t count,
                         HcclDataType type,
                         uint64_t stride,
                         uint8_t repeat) {
        Exchange what;
        what.kind = kind;
        what.type = type;
        what.rounds = repeat;
        what.count = count;
        what.stride = stride;
        what.send = reinterpret_cast<std::byte*>(send);
        what.receive = reinterpret_cast<std::byte*>(receive);
        return what;
    }

    std::vector<uint64_t> List(const void* numbers, const char* call, Site site) const {
        if (numbers == nullptr) {
            Fail(call, "counts or displacements are null", site);
        }
        const auto* first = static_cast<const uint64_t*>(numbers);
        return {first, first + rank_.size};
    }

    void Open(GM_ADDR context, const void* tiling, Site site) {
        if (serverType != HCCL_SERVER_TYPE_AICPU) {
            Fail("Hccl::Init", "this chip's communication server is HCCL_SERVER_TYPE_AICPU", site);
        }
        context_ = reinterpret_cast<std::byte*>(context);
        rank_ = ascendsim::isa::exchange::init(context_, site);
        first_ = ascendsim::isa::exchange::first_task(context_);
        tiling_ = tiling;
    }

    int32_t TakeTiling(const char* call, const void* tiling, Site site) {
        CheckOpen(call, site);
        const auto* filled = static_cast<const ::Mc2CcTiling*>(tiling);
        if (filled->mark != ::Mc2CcTiling::filled) {
            Fail(call, "there is no Mc2CcTiling that Mc2CcTilingConfig::GetTiling has filled", site);
        }
        tasks_ |= uint64_t{1} << filled->opType;
        return HCCL_SUCCESS;
    }

    static void CheckReduction(const char* call, HcclDataType type, HcclReduceOp op, Site site) {
        const bool type_there = type == HCCL_DATA_TYPE_FP32 || type == HCCL_DATA_TYPE_FP16 ||
                                type == HCCL_DATA_TYPE_INT8 || type == HCCL_DATA_TYPE_INT16 ||
                                type == HCCL_DATA_TYPE_INT32 || type == HCCL_DATA_TYPE_BFP16;
        if (!type_there) {
            Fail(call, "the types reduced are fp32, fp16, bfp16, int8, int16 and int32", site);
        }
        if (op != HCCL_REDUCE_SUM && op != HCCL_REDUCE_MAX && op != HCCL_REDUCE_MIN) {
            Fail(call, "the reductions are sum, max and min", site);
        }
    }

    template <bool commit>
    HcclHandle Prepare(const char* call, uint32_t task, const Exchange& what, Site site) {
        CheckOpen(call, site);
        if (checksTasks_ && (tasks_ >> task & 1U) == 0) {
            Fail(call, "no SetCcTilingV2 before it named tiling data of this kind of task", site);
        }
        if (count_ == most_tasks) {
            Fail(
                call, "a communicator takes 63 tasks of a kernel; give them more rounds each (repeat)", site);
        }
        const auto handle = static_cast<HcclHandle>(count_++);
        if (Issues()) {
            ascendsim::isa::exchange::prepare(context_, call, what, site);
            for (uint32_t round = 0; commit && round < what.rounds; ++round) {
                ascendsim::isa::exchange::commit(context_, first_ + handle, site);
            }
        }
        return handle;
    }

    void CheckOpen(const char* call, Site site) const {
        if (context_ == nullptr) {
            Fail(call, "Init or InitV2 comes before it", site);
        }
    }

    uint32_t TaskOf(const char* call, HcclHandle handle, Site site) const {
        CheckOpen(call, site);
        if (handle < 0 || static_cast<uint32_t>(handle) >= count_) {
            Fail(call, "no task has this handle", site);
        }
        return first_ + static_cast<uint32_t>(handle);
    }

    [[noreturn]] static void Fail(const char* call, const char* message, Site site) {
        ascendsim::isa::exchange::fail(call, message, site);
    }

    [[noreturn]] static void Stop(const char* call, Site site) {
        ascendsim::isa::not_implemented(call, site);
    }

    std::byte* context_ = nullptr;
    const void* tiling_ = nullptr;
    ascendsim::isa::ExchangeRank rank_;
    uint32_t first_ = 0;  // task of the server behind handle 0
    uint32_t count_ = 0;
    uint64_t tasks_ = 0;  // kinds that SetCcTiling has named
    bool checksTasks_ = false;
    uint32_t waited_[most_tasks]{};  // rounds, of each handle
};

}  // namespace AscendC
