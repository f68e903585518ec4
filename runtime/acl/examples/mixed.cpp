// SPDX-License-Identifier: Apache-2.0
// A mixed kernel: the cube core multiplies into a workspace, its two vector cores add one to half the rows
// each, and hand the workspace back for the next round.
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t edge = 16;  // one fractal
constexpr uint32_t elements = edge * edge;
constexpr uint32_t rounds = 3;
constexpr uint16_t product_ready = 0;
constexpr uint16_t workspace_free = 1;

/// workspace = a x b, once the vector cores have left it.
__aicore__ inline void multiply(GM_ADDR a, GM_ADDR b, GM_ADDR workspace) {
    using namespace AscendC;
    LocalTensor<half> l1(TPosition::A1, 0, 2 * elements);
    LocalTensor<half> l0a(TPosition::A2, 0, elements);
    LocalTensor<half> l0b(TPosition::B2, 0, elements);
    LocalTensor<float> l0c(TPosition::CO1, 0, elements);
    GlobalTensor<half> left;
    GlobalTensor<half> right;
    GlobalTensor<float> product;
    left.SetGlobalBuffer((__gm__ half*)a);
    right.SetGlobalBuffer((__gm__ half*)b);
    product.SetGlobalBuffer((__gm__ float*)workspace + GetBlockIdx() * elements);
    DataCopy(l1, left, Nd2NzParams(1, edge, edge, 0, edge, edge, 1, 0));
    DataCopy(l1[elements], right, Nd2NzParams(1, edge, edge, 0, edge, edge, 1, 0));
    SetFlag<HardEvent::MTE2_MTE1>(0);
    WaitFlag<HardEvent::MTE2_MTE1>(0);
    LoadData(l0a, l1, LoadData2DParams(0, 1, 1, 0, 0, false, 0));
    LoadData(l0b, l1[elements], LoadData2DParams(0, 1, 1, 0, 0, true, 0));
    SetFlag<HardEvent::MTE1_M>(0);
    WaitFlag<HardEvent::MTE1_M>(0);
    MmadParams mmad;
    mmad.m = edge;
    mmad.n = edge;
    mmad.k = edge;
    mmad.cmatrixInitVal = true;
    Mmad(l0c, l0a, l0b, mmad);
    SetFlag<HardEvent::M_FIX>(0);
    WaitFlag<HardEvent::M_FIX>(0);
    for (uint32_t round = 0; round < rounds; ++round) {
        if (round > 0) {
            CrossCoreWaitFlag(workspace_free);
        }
        Fixpipe<float, float, CFG_ROW_MAJOR>(product, l0c, FixpipeParamsV220(edge, edge, edge, edge, false));
        CrossCoreSetFlag<2, PIPE_FIX>(product_ready);
    }
}

/// c += workspace + 1, each vector core half of the rows.
__aicore__ inline void accumulate(GM_ADDR workspace, GM_ADDR c) {
    using namespace AscendC;
    constexpr uint32_t half_of = elements / 2;
    LocalTensor<float> tile(TPosition::VECCALC, 0, half_of);
    const uint64_t from = GetBlockIdx() / 2 * elements + GetSubBlockIdx() * half_of;
    GlobalTensor<float> product;
    GlobalTensor<float> result;
    product.SetGlobalBuffer((__gm__ float*)workspace + from);
    result.SetGlobalBuffer((__gm__ float*)c + from);
    for (uint32_t round = 0; round < rounds; ++round) {
        CrossCoreWaitFlag(product_ready);
        DataCopy(tile, product, half_of);
        SetFlag<HardEvent::MTE2_V>(0);
        WaitFlag<HardEvent::MTE2_V>(0);
        Adds(tile, tile, 1.0F, half_of);
        SetFlag<HardEvent::V_MTE3>(0);
        WaitFlag<HardEvent::V_MTE3>(0);
        SetAtomicAdd<float>();
        DataCopy(result, tile, half_of);
        SetAtomicNone();
        SetFlag<HardEvent::MTE3_MTE2>(0);
        WaitFlag<HardEvent::MTE3_MTE2>(0);
        if (round + 1 < rounds) {
            CrossCoreSetFlag<2, PIPE_MTE2>(workspace_free);
        }
    }
}

__global__ __mix__(1, 2) void multiply_and_add(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace) {
    if ASCEND_IS_AIC {
        multiply(a, b, workspace);
    }
    if ASCEND_IS_AIV {
        accumulate(workspace, c);
    }
}

int main() {
    constexpr uint32_t blocks = 2;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    std::vector<half> a(elements);
    std::vector<half> b(elements);
    for (uint32_t i = 0; i < elements; ++i) {
        a[i] = half(float(i % 7) - 3.0F);
        b[i] = half(float(i % 5) - 2.0F);
    }
    void* da = nullptr;
    void* db = nullptr;
    void* dc = nullptr;
    void* workspace = nullptr;
    aclrtMalloc(&da, elements * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&db, elements * sizeof(half), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dc, blocks * elements * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&workspace, blocks * elements * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(da, elements * sizeof(half), a.data(), elements * sizeof(half), ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(db, elements * sizeof(half), b.data(), elements * sizeof(half), ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemset(dc, blocks * elements * sizeof(float), 0, blocks * elements * sizeof(float));
    multiply_and_add<<<blocks, nullptr, stream>>>(
        (uint8_t*)da, (uint8_t*)db, (uint8_t*)dc, (uint8_t*)workspace);
    aclrtSynchronizeStream(stream);
    std::vector<float> c(blocks * elements);
    aclrtMemcpy(c.data(), c.size() * 4, dc, c.size() * 4, ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (uint32_t i = 0; i < blocks * elements; ++i) {
        const uint32_t row = i % elements / edge;
        const uint32_t column = i % edge;
        float sum = 0;
        for (uint32_t k = 0; k < edge; ++k) {
            sum += float(a[row * edge + k]) * float(b[k * edge + column]);
        }
        wrong += c[i] != rounds * (sum + 1.0F) ? 1 : 0;
    }
    std::printf("%d of %u wrong\n", wrong, blocks * elements);
    aclrtDestroyStream(stream);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
