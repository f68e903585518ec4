// SPDX-License-Identifier: Apache-2.0
// Launches one small kernel ten thousand times, or as often as the argument says: what a launch costs the
// simulator, and what it costs the host that is simulated.
//   ascendsim run many_launches.cpp
//   ascendsim run many_launches.cpp -- 1000
#include <cstdio>
#include <cstdlib>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t count = 256;

/// Adds one to each element.
__global__ __vector__ void add_one(GM_ADDR x) {
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, count * sizeof(float));
    pipe.InitBuffer(out, 1, count * sizeof(float));
    AscendC::GlobalTensor<float> gx;
    gx.SetGlobalBuffer((__gm__ float*)x, count);
    auto ux = in.AllocTensor<float>();
    AscendC::DataCopy(ux, gx, count);
    in.EnQue(ux);
    ux = in.DeQue<float>();
    auto uy = out.AllocTensor<float>();
    AscendC::Adds(uy, ux, 1.0F, count);
    in.FreeTensor(ux);
    out.EnQue(uy);
    uy = out.DeQue<float>();
    AscendC::DataCopy(gx, uy, count);
    out.FreeTensor(uy);
}

int main(int argc, char** argv) {
    const int launches = argc > 1 ? std::atoi(argv[1]) : 10000;
    aclInit(nullptr);
    aclrtSetDevice(0);
    float values[count] = {};
    void* x = nullptr;
    aclrtMalloc(&x, sizeof values, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(x, sizeof values, values, sizeof values, ACL_MEMCPY_HOST_TO_DEVICE);
    for (int i = 0; i < launches; ++i) {
        add_one<<<1, nullptr, nullptr>>>((uint8_t*)x);
    }
    aclrtSynchronizeDevice();
    aclrtMemcpy(values, sizeof values, x, sizeof values, ACL_MEMCPY_DEVICE_TO_HOST);
    uint32_t wrong = 0;
    for (const float value : values) {
        wrong += value != static_cast<float>(launches) ? 1 : 0;
    }
    std::printf("%d launches, wrong: %u\n", launches, wrong);
    aclrtFree(x);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
