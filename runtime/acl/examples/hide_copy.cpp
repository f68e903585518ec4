// SPDX-License-Identifier: Apache-2.0
// Doubles data that comes in chunks from the host. With one stream every copy stands in the way; with two, a
// chunk is on its way while the one before it is computed:
//   ascendsim run hide_copy.cpp -- 1
//   ascendsim run hide_copy.cpp -- 2
#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t blocks = 8;
constexpr uint32_t chunks = 4;
constexpr uint32_t chunk = 256 * 1024;  // elements: 1 MiB
constexpr uint32_t tile = 4096;

/// Adds x to itself so often that a chunk takes about as long to compute as to copy.
__global__ __vector__ void double_often(GM_ADDR x, GM_ADDR y) {
    const uint32_t each = chunk / AscendC::GetBlockNum();
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, 2, tile * sizeof(float));
    pipe.InitBuffer(out, 2, tile * sizeof(float));
    AscendC::GlobalTensor<float> gx;
    AscendC::GlobalTensor<float> gy;
    gx.SetGlobalBuffer((__gm__ float*)x + each * AscendC::GetBlockIdx(), each);
    gy.SetGlobalBuffer((__gm__ float*)y + each * AscendC::GetBlockIdx(), each);
    for (uint32_t at = 0; at < each; at += tile) {
        auto ux = in.AllocTensor<float>();
        AscendC::DataCopy(ux, gx[at], tile);
        in.EnQue(ux);
        ux = in.DeQue<float>();
        auto uy = out.AllocTensor<float>();
        for (int i = 0; i < 128; ++i) {
            AscendC::Add(uy, ux, ux, tile);
            AscendC::PipeBarrier<PIPE_V>();
        }
        in.FreeTensor(ux);
        out.EnQue(uy);
        uy = out.DeQue<float>();
        AscendC::DataCopy(gy[at], uy, tile);
        out.FreeTensor(uy);
    }
}

int main(int argc, char** argv) {
    const uint32_t used = argc > 1 && std::atoi(argv[1]) == 2 ? 2 : 1;  // streams
    const size_t bytes = chunk * sizeof(float);
    aclInit(nullptr);
    aclrtSetDevice(0);
    void* host_in = nullptr;
    void* host_out = nullptr;
    aclrtMallocHost(&host_in, chunks * bytes);  // copies of streams need memory that stays where it is
    aclrtMallocHost(&host_out, chunks * bytes);
    auto* from = static_cast<float*>(host_in);
    auto* to = static_cast<float*>(host_out);
    for (uint32_t i = 0; i < chunks * chunk; ++i) {
        from[i] = static_cast<float>(i % 1000);
    }
    aclrtStream streams[2] = {};
    void* x[2] = {};
    void* y[2] = {};
    for (uint32_t i = 0; i < used; ++i) {
        aclrtCreateStream(&streams[i]);
        aclrtMalloc(&x[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
        aclrtMalloc(&y[i], bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    for (uint32_t i = 0; i < chunks; ++i) {
        const uint32_t at = i % used;
        aclrtMemcpyAsync(x[at], bytes, from + i * chunk, bytes, ACL_MEMCPY_HOST_TO_DEVICE, streams[at]);
        double_often<<<blocks, nullptr, streams[at]>>>((uint8_t*)x[at], (uint8_t*)y[at]);
        aclrtMemcpyAsync(to + i * chunk, bytes, y[at], bytes, ACL_MEMCPY_DEVICE_TO_HOST, streams[at]);
    }
    aclrtSynchronizeDevice();
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < chunks * chunk; ++i) {
        wrong += to[i] != 2 * from[i] ? 1 : 0;
    }
    std::printf("streams: %u, wrong: %u\n", used, wrong);
    for (uint32_t i = 0; i < used; ++i) {
        aclrtFree(x[i]);
        aclrtFree(y[i]);
        aclrtDestroyStream(streams[i]);
    }
    aclrtFreeHost(host_in);
    aclrtFreeHost(host_out);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
