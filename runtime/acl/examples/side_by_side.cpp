// SPDX-License-Identifier: Apache-2.0
// Two kernels on two streams. Each takes half of the cores, so that both run at the same time:
//   ascendsim run side_by_side.cpp
// The second one reads what the first one writes; "chain" orders them by an event, "race" forgets it:
//   ascendsim run side_by_side.cpp -- chain
//   ascendsim run side_by_side.cpp -- race
#include <cstdio>
#include <cstring>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t tile = 2048;
constexpr uint32_t tiles = 16;  // of each block
constexpr uint32_t rounds =
    64;  // of additions to each tile: the vector units, not the memory, decide the time

/// y = x + value, in equal parts
__global__ __vector__ void add_value(GM_ADDR x, GM_ADDR y, float value) {
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, tile * sizeof(float));
    pipe.InitBuffer(out, 2, tile * sizeof(float));
    AscendC::GlobalTensor<float> gx;
    AscendC::GlobalTensor<float> gy;
    const uint32_t first = AscendC::GetBlockIdx() * tiles * tile;
    gx.SetGlobalBuffer((__gm__ float*)x + first, tiles * tile);
    gy.SetGlobalBuffer((__gm__ float*)y + first, tiles * tile);
    for (uint32_t i = 0; i < tiles; ++i) {
        auto ux = in.AllocTensor<float>();
        AscendC::DataCopy(ux, gx[i * tile], tile);
        in.EnQue(ux);
        ux = in.DeQue<float>();
        auto uy = out.AllocTensor<float>();
        AscendC::Adds(uy, ux, value / rounds, tile);
        for (uint32_t round = 1; round < rounds; ++round) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Adds(uy, uy, value / rounds, tile);
        }
        in.FreeTensor(ux);
        out.EnQue(uy);
        uy = out.DeQue<float>();
        AscendC::DataCopy(gy[i * tile], uy, tile);
        out.FreeTensor(uy);
    }
}

int main(int argc, char** argv) {
    const bool chain = argc > 1 && std::strcmp(argv[1], "chain") == 0;
    const bool race = argc > 1 && std::strcmp(argv[1], "race") == 0;
    aclInit(nullptr);
    aclrtSetDevice(0);
    int64_t cores = 0;
    aclrtGetDeviceInfo(0, ACL_DEV_ATTR_VECTOR_CORE_NUM, &cores);
    if (cores == 0) {
        aclrtGetDeviceInfo(0, ACL_DEV_ATTR_AICORE_CORE_NUM, &cores);
    }
    const auto blocks = static_cast<uint32_t>(cores / 2);
    const uint32_t count = blocks * tiles * tile;
    const size_t bytes = count * sizeof(float);
    void* host = nullptr;
    aclrtMallocHost(&host, bytes);
    auto* values = static_cast<float*>(host);
    for (uint32_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i % 1000);
    }
    void* buffers[4] = {};
    for (void*& buffer : buffers) {
        aclrtMalloc(&buffer, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMemcpy(buffer, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    }
    aclrtStream one = nullptr;
    aclrtStream two = nullptr;
    aclrtEvent written = nullptr;
    aclrtCreateStream(&one);
    aclrtCreateStream(&two);
    aclrtCreateEvent(&written);
    add_value<<<blocks, nullptr, one>>>((uint8_t*)buffers[0], (uint8_t*)buffers[1], 1.0F);
    aclrtRecordEvent(written, one);
    if (chain) {
        aclrtStreamWaitEvent(two, written);
    }
    void* source = chain || race ? buffers[1] : buffers[2];
    add_value<<<blocks, nullptr, two>>>((uint8_t*)source, (uint8_t*)buffers[3], 2.0F);
    aclrtSynchronizeDevice();
    const float more = chain || race ? 3.0F : 2.0F;
    aclrtMemcpy(host, bytes, buffers[3], bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < count; ++i) {
        wrong += values[i] != static_cast<float>(i % 1000) + more ? 1 : 0;
    }
    std::printf("wrong: %u of %u\n", wrong, count);
    for (void* buffer : buffers) {
        aclrtFree(buffer);
    }
    aclrtFreeHost(host);
    aclrtDestroyEvent(written);
    aclrtDestroyStream(one);
    aclrtDestroyStream(two);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
