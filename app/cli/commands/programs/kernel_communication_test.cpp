// SPDX-License-Identifier: Apache-2.0
// Kernels that communicate with those of other devices (the Hccl class), as `ascendsim run` takes them.
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/cli/testing/small_programs.hpp"

namespace ascendsim::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// Two ranks, two blocks each; x[rank] holds 100 * rank + i, in 64 floats, y has 128. The first argument says
/// what the kernel does.
constexpr const char* exchange_program =
    "#include <cstddef>\n#include <cstdio>\n#include <cstring>\n#include \"acl/acl.h\"\n"
    "#include \"hccl/hccl.h\"\n#include \"hccl/hccl_tiling.h\"\n#include \"kernel_operator.h\"\n"
    R"(

struct Tiling {
    Mc2InitTiling server;
    Mc2CcTiling reduce;
    Mc2CcTiling gather;
    Mc2CcTiling scatter;
    Mc2CcTiling all;
    char what[32];
};

__aicore__ inline bool is(const Tiling& tiling, const char* what) {
    for (uint32_t i = 0; i < sizeof tiling.what; ++i) {
        if (tiling.what[i] != what[i] || what[i] == 0) {
            return tiling.what[i] == what[i];
        }
    }
    return true;
}

/// Adds 1 to this block's half of x.
__aicore__ inline void change(GM_ADDR x) {
    AscendC::TPipe pipe;
    AscendC::TBuf<AscendC::TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 128);
    AscendC::LocalTensor<float> local = buffer.Get<float>();
    AscendC::GlobalTensor<float> global;
    global.SetGlobalBuffer((__gm__ float*)x + AscendC::GetBlockIdx() * 32);
    AscendC::DataCopy(local, global, 32);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::Adds(local, local, 1.0F, 32);
    AscendC::PipeBarrier<PIPE_ALL>();
    AscendC::DataCopy(global, local, 32);
    AscendC::PipeBarrier<PIPE_ALL>();
}

__global__ __vector__ void exchange(GM_ADDR x, GM_ADDR y, GM_ADDR context, Tiling tiling) {
    using namespace AscendC;
    constexpr auto fp32 = AscendC::HCCL_DATA_TYPE_FP32;
    constexpr auto sum = AscendC::HCCL_REDUCE_SUM;
    Hccl<> hccl;
    hccl.InitV2(context, &tiling);
    if (!is(tiling, "untiled")) {
        hccl.SetCcTilingV2(offsetof(Tiling, reduce));
        hccl.SetCcTilingV2(offsetof(Tiling, gather));
        hccl.SetCcTilingV2(offsetof(Tiling, scatter));
        hccl.SetCcTilingV2(offsetof(Tiling, all));
    }
    const bool second = hccl.GetRankId() == 1;
    if (is(tiling, "reduce") || is(tiling, "untiled")) {
        const auto handle = hccl.AllReduce<true>(x, y, 32, fp32, sum, 2);
        hccl.Wait(handle);
        hccl.Wait(handle);
    } else if (is(tiling, "gather")) {
        const auto handle = hccl.AllGather<true>(x, y, 32, fp32, 64, 2);
        hccl.Wait(handle);
        hccl.Wait(handle);
    } else if (is(tiling, "scatter")) {
        const auto handle = hccl.ReduceScatter<false>(x, y, 16, fp32, sum, 32, 2);
        hccl.Commit(handle);
        hccl.Commit(handle);
        hccl.Wait(handle);
        hccl.Wait(handle);
    } else if (is(tiling, "all")) {
        hccl.Wait(hccl.AlltoAll<true>(x, y, 32, fp32));
    } else if (is(tiling, "query")) {
        const auto handle = hccl.AllReduce<true>(x, y, 64, fp32, sum);
        while (hccl.Query(handle) < 1) {
        }
    } else if (is(tiling, "changed") || is(tiling, "race")) {
        change(x);
        if (is(tiling, "changed")) {
            SyncAll();
        }
        hccl.Wait(hccl.AllReduce<true>(x, y, 64, fp32, sum));
    } else if (is(tiling, "miss")) {
        const auto handle = hccl.AllReduce<false>(x, y, 64, fp32, sum);
        if (!second) {
            hccl.Commit(handle);
        }
        hccl.Wait(handle);
    } else if (is(tiling, "mismatch")) {
        if (second) {
            hccl.Wait(hccl.AllReduce<true>(x, y, 32, fp32, sum));
        } else {
            hccl.Wait(hccl.AllReduce<true>(x, y, 64, fp32, sum));
        }
    } else if (is(tiling, "overlap")) {
        hccl.AllGather<true>(y + 64, y, 64, fp32, 0);
    } else if (is(tiling, "large")) {
        hccl.AllReduce<true>(x, y, 80, fp32, sum);
    } else if (is(tiling, "huge")) {
        hccl.AllReduce<true>(x, y, 1ULL << 62, fp32, sum);
    } else if (is(tiling, "type")) {
        hccl.AllReduce<true>(x, y, 8, AscendC::HCCL_DATA_TYPE_INT64, sum);
    } else if (is(tiling, "again")) {
        const auto handle = hccl.AllReduce<true>(x, y, 64, fp32, sum);
        hccl.Commit(handle);
    } else if (is(tiling, "left")) {
        hccl.AllReduce<false>(x, y, 64, fp32, sum);
    } else if (is(tiling, "window")) {
        hccl.GetWindowsInAddr(1);
    } else if (is(tiling, "late")) {
        hccl.Wait(hccl.AllReduce<true>(x, y, 64, fp32, sum));
        hccl.Finalize();
        return;
    }
    SyncAll();
    hccl.Finalize();
}

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "reduce";
    HcclComm comms[2];
    int32_t devices[]{0, 1};
    if (HcclCommInitAll(2, devices, comms) != HCCL_SUCCESS) {
        return 100;
    }
    char group[HCCL_COMM_NAME_MAX];
    HcclGetCommName(comms[0], group);
    Tiling tiling{};
    AscendC::Mc2CcTilingConfig config(group, HCCL_CMD_ALLREDUCE, "AllReduce=level0:fullmesh", HCCL_REDUCE_SUM);
    config.GetTiling(tiling.server);
    config.GetTiling(tiling.reduce);
    config.SetOpType(HCCL_CMD_ALLGATHER);
    config.GetTiling(tiling.gather);
    config.SetOpType(HCCL_CMD_REDUCE_SCATTER);
    config.GetTiling(tiling.scatter);
    config.SetOpType(HCCL_CMD_ALLTOALL);
    config.GetTiling(tiling.all);
    std::strncpy(tiling.what, what, sizeof tiling.what - 1);
    aclrtStream streams[2];
    void* x[2];
    void* y[2];
    float host[128]{};
    for (int rank = 0; rank < 2; ++rank) {
        aclrtSetDevice(rank);
        aclrtCreateStream(&streams[rank]);
        aclrtMalloc(&x[rank], 256, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&y[rank], 512, ACL_MEM_MALLOC_HUGE_FIRST);
        for (int i = 0; i < 64; ++i) {
            host[i] = rank * 100 + i;
        }
        aclrtMemcpy(x[rank], 256, host, 256, ACL_MEMCPY_HOST_TO_DEVICE);
        std::memset(host, 0, sizeof host);
        aclrtMemcpy(y[rank], 512, host, 512, ACL_MEMCPY_HOST_TO_DEVICE);
        HcclComm named = nullptr;
        void* context = nullptr;
        if (HcomGetCommHandleByGroup(group, &named) != HCCL_SUCCESS || named != comms[rank] ||
            HcclAllocComResourceByTiling(named, streams[rank], &tiling, &context) != HCCL_SUCCESS) {
            return 101;
        }
        const uint32_t blocks = !std::strcmp(what, "late") ? 60 : 2;  // of which 20 begin when 40 have ended
        exchange<<<blocks, nullptr, streams[rank]>>>((uint8_t*)x[rank], (uint8_t*)y[rank], (uint8_t*)context, tiling);
    }
    for (int rank = 0; rank < 2; ++rank) {
        aclrtSetDevice(rank);
        aclrtSynchronizeStream(streams[rank]);
        aclrtMemcpy(host, 512, y[rank], 512, ACL_MEMCPY_DEVICE_TO_HOST);
        for (int i = 0; i < 128; ++i) {
            float expected = 0;
            const auto sum = [](int at) { return 100 + 2 * at; };
            if (!std::strcmp(what, "reduce") || !std::strcmp(what, "query") ||
                !std::strcmp(what, "late")) {
                expected = i < 64 ? sum(i) : 0;
            } else if (!std::strcmp(what, "changed")) {
                expected = i < 64 ? sum(i) + 2 : 0;
            } else if (!std::strcmp(what, "gather")) {
                expected = i / 64 * 100 + i % 64;
            } else if (!std::strcmp(what, "scatter")) {  // rank r gets elements 32 r and on
                expected = i < 32 ? sum(32 * rank + i) : 0;
            } else if (!std::strcmp(what, "all")) {
                expected = i < 64 ? i / 32 * 100 + 32 * rank + i % 32 : 0;
            } else {
                continue;
            }
            if (host[i] != expected) {
                std::printf("rank %d: y[%d] is %f, not %f\n", rank, i, host[i], expected);
                return 1;
            }
        }
    }
    return 0;
}
)";

class KernelCommunication : public SmallPrograms {
protected:
    fs::path example = installation.root / "runtime" / "acl" / "examples" / "matmul_all_reduce.cpp";

    void SetUp() override {
        SmallPrograms::SetUp();
        std::ofstream{folder / "main.cpp"} << exchange_program;
    }

    [[nodiscard]] Outcome run(const fs::path& program, const std::string& more) const {
        return SmallPrograms::run(program, "--chip 910b3 " + more);
    }

    [[nodiscard]] Outcome exchange(const std::string& what) const {
        return run(folder / "main.cpp", "--quiet -- " + what);
    }

    void expect_sentence(const std::string& what, const std::string& sentence) const {
        const Outcome outcome = exchange(what);
        EXPECT_EQ(outcome.exit, 3) << what << ": " << outcome.output;
        EXPECT_THAT(outcome.output, testing::HasSubstr(sentence)) << what;
    }
};

TEST_F(KernelCommunication, MovesTheRightData) {
    for (const std::string what : {"reduce", "gather", "scatter", "all", "query", "changed", "late"}) {
        const Outcome outcome = exchange(what);
        EXPECT_EQ(outcome.exit, 0) << what << ": " << outcome.output;
    }
}

TEST_F(KernelCommunication, OverlapsWithComputing) {
    const Outcome outcome = run(example, "--json - -- 2 512 256 512 4");
    ASSERT_EQ(outcome.exit, 0) << outcome.output;
    EXPECT_THAT(outcome.output, testing::HasSubstr("wrong elements: 0"));
}

TEST_F(KernelCommunication, FindsACommitBeforeOtherCoresHaveWritten) {
    const Outcome outcome = exchange("race");
    EXPECT_EQ(outcome.exit, 3) << outcome.output;
    EXPECT_THAT(outcome.output, testing::HasSubstr("hccl_commit"));
}

TEST_F(KernelCommunication, TellsWhichRankDidNotCommit) {
    expect_sentence("miss", "for rank 1, which has not committed it");
}

TEST_F(KernelCommunication, SaysInASentenceWhatIsWrong) {
    expect_sentence("mismatch", "kernels of one communicator ask for different collectives: rank 0 at");
    expect_sentence("overlap", "send and receive buffer overlap");
    expect_sentence("large", "the call needs 320 B of the send buffer, which has");
    expect_sentence("huge", "a count or a displacement of 4611686018427387904 elements is larger than the");
    expect_sentence("type", "the types reduced are fp32, fp16, bfp16, int8, int16 and int32");
    expect_sentence("untiled", "no SetCcTilingV2 before it named tiling data of this kind of task");
    expect_sentence("again", "the task has 1 rounds, and all of them have been committed");
    expect_sentence("left", "1 of 1 rounds of a task were never committed");
    expect_sentence("window", "Hccl::GetWindowsInAddr");
}

}  // namespace
}  // namespace ascendsim::cli
