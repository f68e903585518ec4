// SPDX-License-Identifier: Apache-2.0
// Each rank multiplies its share of K; the sum over all ranks is the product. First unfused: the product,
// then HcclAllReduce. Then in one kernel: as soon as all cores have some rows of the product, the
// communication server adds them up, while the cores go on with the rows behind.
//   ascendsim run matmul_all_reduce.cpp -- RANKS M K N TURNS
// K is that of a rank; the rows are added up in TURNS parts. With "late" behind it rank 1 has other work to
// do first; with "unchecked" the numbers are not looked at, as in a run without arithmetic.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define ASCENDC_CUBE_ONLY
#include "acl/acl.h"
#include "hccl/hccl.h"
#include "hccl/hccl_tiling.h"
#include "kernel_operator.h"
#include "lib/matmul_intf.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

struct MatmulAllReduceTiling {
    Mc2InitTiling server;
    Mc2CcTiling all_reduce;
    TCubeTiling part;  // of the rows of one turn
    uint32_t turns;
};

using MatmulOfPart = AscendC::Matmul<AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>,
                                     AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>,
                                     AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, half>>;

/// The share of this core of the rows of one turn.
__aicore__ inline void multiply_part(
    MatmulOfPart& matmul, GM_ADDR a, GM_ADDR b, GM_ADDR c, const TCubeTiling& t) {
    const int32_t down = (t.M + t.singleCoreM - 1) / t.singleCoreM;
    const int32_t m = static_cast<int32_t>(AscendC::GetBlockIdx()) % down * t.singleCoreM;
    const int32_t n = static_cast<int32_t>(AscendC::GetBlockIdx()) / down * t.singleCoreN;
    if (n >= t.N) {
        return;
    }
    AscendC::GlobalTensor<half> left;
    AscendC::GlobalTensor<half> right;
    AscendC::GlobalTensor<half> product;
    left.SetGlobalBuffer((__gm__ half*)a);
    right.SetGlobalBuffer((__gm__ half*)b);
    product.SetGlobalBuffer((__gm__ half*)c);
    matmul.SetTensorA(left[static_cast<uint64_t>(m) * t.Ka]);
    matmul.SetTensorB(right[n]);
    matmul.SetTail(t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM,
                   t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN);
    matmul.IterateAll(product[static_cast<uint64_t>(m) * t.N + n]);
}

/// No core goes on before all have written what they had to.
__aicore__ inline void meet() {
    constexpr uint16_t flag = 6;
    AscendC::CrossCoreSetFlag<0, PIPE_FIX>(flag);
    AscendC::CrossCoreWaitFlag(flag);
}

__global__ __cube__ void matmul_alone(GM_ADDR a, GM_ADDR b, GM_ADDR c, MatmulAllReduceTiling tiling) {
    AscendC::TPipe pipe;
    MatmulOfPart matmul;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), matmul, &tiling.part);
    multiply_part(matmul, a, b, c, tiling.part);
    matmul.End();
}

__global__ __cube__ void matmul_all_reduce(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR y, GM_ADDR context, MatmulAllReduceTiling tiling) {
    AscendC::TPipe pipe;
    MatmulOfPart matmul;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), matmul, &tiling.part);
    AscendC::Hccl<AscendC::HCCL_SERVER_TYPE_AICPU> hccl;
    hccl.InitV2(context, &tiling);
    if (hccl.SetCcTilingV2(offsetof(MatmulAllReduceTiling, all_reduce)) != HCCL_SUCCESS) {
        return;
    }
    const uint64_t rows = tiling.part.M;
    const auto handle = hccl.AllReduce<false>(c,
                                              y,
                                              rows * tiling.part.N,
                                              AscendC::HCCL_DATA_TYPE_FP16,
                                              AscendC::HCCL_REDUCE_SUM,
                                              static_cast<uint8_t>(tiling.turns));
    for (uint32_t turn = 0; turn < tiling.turns; ++turn) {
        multiply_part(matmul,
                      a + turn * rows * tiling.part.Ka * sizeof(half),
                      b,
                      c + turn * rows * tiling.part.N * sizeof(half),
                      tiling.part);
        meet();
        hccl.Commit(handle);
    }
    matmul.End();
    for (uint32_t turn = 0; turn < tiling.turns; ++turn) {
        hccl.Wait(handle);
    }
    meet();
    hccl.Finalize();
}

namespace {

struct Shape {
    uint32_t ranks;
    uint32_t m;
    uint32_t k;
    uint32_t n;
    uint32_t turns;
};

struct Rank {
    int32_t device = 0;
    HcclComm comm = nullptr;
    aclrtStream stream = nullptr;
    void* a = nullptr;
    void* b = nullptr;
    void* c = nullptr;
    void* y = nullptr;
    void* context = nullptr;
    aclrtEvent ends[2]{};
};

/// Small whole numbers, whose sums are exact in half.
int32_t element(uint64_t i, uint64_t rank) {
    return static_cast<int32_t>((i * 7 + i / 13 + rank * 3) % 3) - 1;
}

void put(void* to, uint64_t count, uint64_t rank) {
    std::vector<half> host(count);
    for (uint64_t i = 0; i < count; ++i) {
        host[i] = half(static_cast<float>(element(i, rank)));
    }
    aclrtMemcpy(to, count * sizeof(half), host.data(), count * sizeof(half), ACL_MEMCPY_HOST_TO_DEVICE);
}

MatmulAllReduceTiling tiling_of(const Shape& shape, uint32_t turns, uint32_t cores, const char* group) {
    MatmulAllReduceTiling tiling{};
    tiling.turns = turns;
    matmul_tiling::MultiCoreMatmulTiling cube(*platform_ascendc::PlatformAscendCManager::GetInstance());
    cube.SetDim(static_cast<int32_t>(cores));
    cube.SetAType(
        matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    cube.SetBType(
        matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    cube.SetCType(
        matmul_tiling::TPosition::GM, matmul_tiling::CubeFormat::ND, matmul_tiling::DataType::DT_FLOAT16);
    const auto rows = static_cast<int32_t>(shape.m / turns);
    const auto n = static_cast<int32_t>(shape.n);
    const auto k = static_cast<int32_t>(shape.k);
    cube.SetShape(rows, n, k);
    cube.SetOrgShape(rows, n, k);
    cube.SetBias(false);
    cube.GetTiling(tiling.part);
    AscendC::Mc2CcTilingConfig config(
        group, HCCL_CMD_ALLREDUCE, "AllReduce=level0:fullmesh", HCCL_REDUCE_SUM);
    config.GetTiling(tiling.server);
    config.GetTiling(tiling.all_reduce);
    return tiling;
}

uint64_t wrong_elements(const std::vector<Rank>& ranks, const Shape& shape) {
    std::vector<int32_t> expected(uint64_t{shape.m} * shape.n);
    for (uint64_t rank = 0; rank < shape.ranks; ++rank) {
        for (uint64_t i = 0; i < shape.m; ++i) {
            for (uint64_t k = 0; k < shape.k; ++k) {
                const int32_t left = element(i * shape.k + k, rank);
                for (uint64_t j = 0; j < shape.n && left != 0; ++j) {
                    expected[i * shape.n + j] += left * element(k * shape.n + j, rank + 1);
                }
            }
        }
    }
    uint64_t wrong = 0;
    std::vector<half> host(expected.size());
    for (const Rank& rank : ranks) {
        aclrtSetDevice(rank.device);
        aclrtMemcpy(host.data(),
                    host.size() * sizeof(half),
                    rank.y,
                    host.size() * sizeof(half),
                    ACL_MEMCPY_DEVICE_TO_HOST);
        for (uint64_t i = 0; i < host.size(); ++i) {
            wrong += static_cast<float>(host[i]) != static_cast<float>(expected[i]) ? 1 : 0;
        }
        aclrtMemset(rank.y, host.size() * sizeof(half), 0, host.size() * sizeof(half));
    }
    return wrong;
}

/// Work that only one rank has.
void hold_up(const Rank& rank, const MatmulAllReduceTiling& tiling, uint32_t cores) {
    matmul_alone<<<cores, nullptr, rank.stream>>>(
        (uint8_t*)rank.a, (uint8_t*)rank.b, (uint8_t*)rank.c, tiling);
}

float longest_ms(const std::vector<Rank>& ranks, aclrtEvent begin, uint32_t way) {
    float longest = 0;
    for (const Rank& rank : ranks) {
        aclrtSetDevice(rank.device);
        aclrtSynchronizeStream(rank.stream);
        float ms = 0;
        aclrtEventElapsedTime(&ms, begin, rank.ends[way]);
        longest = std::max(longest, ms);
    }
    return longest;
}

}  // namespace

int main(int argc, char** argv) {
    const auto number = [&](int at, uint32_t otherwise) {
        return argc > at ? static_cast<uint32_t>(std::strtoul(argv[at], nullptr, 10)) : otherwise;
    };
    const Shape shape{number(1, 2), number(2, 256), number(3, 128), number(4, 256), number(5, 4)};
    const auto said = [&](const char* word) {
        return std::any_of(argv + std::min(argc, 6), argv + argc, [&](const char* it) {
            return std::strcmp(it, word) == 0;
        });
    };
    if (shape.ranks < 2 || shape.turns == 0 || shape.m % (16 * shape.turns) != 0) {
        std::printf("two ranks at least, and rows in multiples of 16 for each turn\n");
        return 2;
    }
    aclInit(nullptr);
    const uint32_t cores = platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic();
    std::vector<Rank> ranks(shape.ranks);
    std::vector<int32_t> devices(shape.ranks);
    std::vector<HcclComm> comms(shape.ranks);
    for (uint32_t i = 0; i < shape.ranks; ++i) {
        devices[i] = static_cast<int32_t>(i);
    }
    if (HcclCommInitAll(shape.ranks, devices.data(), comms.data()) != HCCL_SUCCESS) {
        return 2;
    }
    char group[HCCL_COMM_NAME_MAX];
    HcclGetCommName(comms[0], group);
    MatmulAllReduceTiling whole = tiling_of(shape, 1, cores, group);
    MatmulAllReduceTiling parts = tiling_of(shape, shape.turns, cores, group);
    const uint64_t product = uint64_t{shape.m} * shape.n;
    const bool checked = !said("unchecked");
    aclrtEvent begins[2]{};
    aclrtCreateEvent(&begins[0]);
    aclrtCreateEvent(&begins[1]);
    for (uint32_t i = 0; i < shape.ranks; ++i) {
        Rank& rank = ranks[i];
        rank.device = devices[i];
        rank.comm = comms[i];
        aclrtSetDevice(rank.device);
        aclrtCreateStream(&rank.stream);
        aclrtMalloc(&rank.a, uint64_t{shape.m} * shape.k * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&rank.b, uint64_t{shape.k} * shape.n * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&rank.c, product * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&rank.y, product * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtCreateEvent(&rank.ends[0]);
        aclrtCreateEvent(&rank.ends[1]);
        if (checked) {
            put(rank.a, uint64_t{shape.m} * shape.k, i);
            put(rank.b, uint64_t{shape.k} * shape.n, i + 1);
        }
        if (HcclAllocComResourceByTiling(rank.comm, rank.stream, &parts, &rank.context) != HCCL_SUCCESS) {
            return 2;
        }
    }
    uint64_t wrong = 0;
    float ms[2]{};
    for (uint32_t way = 0; way < 2; ++way) {
        aclrtSetDevice(0);
        aclrtRecordEvent(begins[way], ranks[0].stream);
        if (said("late")) {
            aclrtSetDevice(1);
            hold_up(ranks[1], whole, cores);
        }
        for (Rank& rank : ranks) {
            aclrtSetDevice(rank.device);
            if (way == 0) {
                matmul_alone<<<cores, nullptr, rank.stream>>>(
                    (uint8_t*)rank.a, (uint8_t*)rank.b, (uint8_t*)rank.c, whole);
            } else {
                matmul_all_reduce<<<cores, nullptr, rank.stream>>>((uint8_t*)rank.a,
                                                                   (uint8_t*)rank.b,
                                                                   (uint8_t*)rank.c,
                                                                   (uint8_t*)rank.y,
                                                                   (uint8_t*)rank.context,
                                                                   parts);
            }
        }
        for (Rank& rank : ranks) {
            aclrtSetDevice(rank.device);
            if (way == 0) {
                HcclAllReduce(
                    rank.c, rank.y, product, HCCL_DATA_TYPE_FP16, HCCL_REDUCE_SUM, rank.comm, rank.stream);
            }
            aclrtRecordEvent(rank.ends[way], rank.stream);
        }
        ms[way] = longest_ms(ranks, begins[way], way);
        wrong += checked ? wrong_elements(ranks, shape) : 0;
    }
    std::printf("unfused %.2f us, fused %.2f us: %+.1f %%; wrong elements: %llu\n",
                static_cast<double>(ms[0]) * 1e3,
                static_cast<double>(ms[1]) * 1e3,
                (static_cast<double>(ms[1]) / static_cast<double>(ms[0]) - 1) * 100,
                static_cast<unsigned long long>(wrong));
    for (Rank& rank : ranks) {
        HcclCommDestroy(rank.comm);
    }
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
