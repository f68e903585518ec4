// SPDX-License-Identifier: Apache-2.0
// Each device of the node adds a number to its data, then all devices add up what they have:
//   ascendsim run all_reduce.cpp
// With "miss" rank 1 forgets its call, and the run ends with who waits for whom:
//   ascendsim run all_reduce.cpp -- miss
#include <cstdio>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "hccl/hccl.h"
#include "kernel_operator.h"

constexpr uint32_t blocks = 4;
constexpr uint32_t tile = 2048;
constexpr uint32_t count = blocks * tile;

/// x += value
__global__ __vector__ void add_value(GM_ADDR x, float value) {
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, tile * sizeof(float));
    pipe.InitBuffer(out, 1, tile * sizeof(float));
    AscendC::GlobalTensor<float> gx;
    gx.SetGlobalBuffer((__gm__ float*)x + AscendC::GetBlockIdx() * tile, tile);
    auto ux = in.AllocTensor<float>();
    AscendC::DataCopy(ux, gx, tile);
    in.EnQue(ux);
    ux = in.DeQue<float>();
    auto uy = out.AllocTensor<float>();
    AscendC::Adds(uy, ux, value, tile);
    in.FreeTensor(ux);
    out.EnQue(uy);
    uy = out.DeQue<float>();
    AscendC::DataCopy(gx, uy, tile);
    out.FreeTensor(uy);
}

int main(int argc, char** argv) {
    const bool miss = argc > 1 && std::strcmp(argv[1], "miss") == 0;
    constexpr size_t bytes = count * sizeof(float);
    aclInit(nullptr);
    uint32_t ranks = 0;
    aclrtGetDeviceCount(&ranks);
    std::vector<int32_t> devices(ranks);
    std::vector<HcclComm> comms(ranks);
    std::vector<aclrtStream> streams(ranks);
    std::vector<void*> data(ranks);
    std::vector<float> host(count, 1.0F);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        devices[rank] = static_cast<int32_t>(rank);
    }
    if (HcclCommInitAll(ranks, devices.data(), comms.data()) != HCCL_SUCCESS) {
        return 2;
    }
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        aclrtSetDevice(devices[rank]);
        aclrtCreateStream(&streams[rank]);
        aclrtMalloc(&data[rank], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(data[rank], bytes, host.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
        add_value<<<blocks, nullptr, streams[rank]>>>((uint8_t*)data[rank], static_cast<float>(rank));
        if (miss && rank == 1) {
            continue;
        }
        HcclAllReduce(
            data[rank], data[rank], count, HCCL_DATA_TYPE_FP32, HCCL_REDUCE_SUM, comms[rank], streams[rank]);
    }
    // The sum over ranks of 1 + rank.
    const auto expected = static_cast<float>(ranks + ranks * (ranks - 1) / 2);
    uint32_t wrong = 0;
    for (uint32_t rank = 0; rank < ranks; ++rank) {
        aclrtSetDevice(devices[rank]);
        aclrtSynchronizeStream(streams[rank]);
        aclrtMemcpy(host.data(), bytes, data[rank], bytes, ACL_MEMCPY_DEVICE_TO_HOST);
        for (const float value : host) {
            wrong += value != expected ? 1 : 0;
        }
        aclrtFree(data[rank]);
        aclrtDestroyStream(streams[rank]);
        HcclCommDestroy(comms[rank]);
        aclrtResetDevice(devices[rank]);
    }
    std::printf("ranks: %u, wrong: %u\n", ranks, wrong);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
