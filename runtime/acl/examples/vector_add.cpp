// SPDX-License-Identifier: Apache-2.0
// A host program that launches a template kernel with <<<>>> and reads the simulated time from events:
//   ascendsim run vector_add.cpp -- 4096
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "acl/acl.h"
#include "kernel_operator.h"

constexpr uint32_t blocks = 8;

template <typename T>
__global__ __vector__ void add_vectors(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t n) {
    const uint32_t each = n / AscendC::GetBlockNum();
    const uint32_t from = each * AscendC::GetBlockIdx();
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_x;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in_y;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in_x, 1, each * sizeof(T));
    pipe.InitBuffer(in_y, 1, each * sizeof(T));
    pipe.InitBuffer(out, 1, each * sizeof(T));
    AscendC::GlobalTensor<T> gx;
    AscendC::GlobalTensor<T> gy;
    AscendC::GlobalTensor<T> gz;
    gx.SetGlobalBuffer((__gm__ T*)x + from, each);
    gy.SetGlobalBuffer((__gm__ T*)y + from, each);
    gz.SetGlobalBuffer((__gm__ T*)z + from, each);
    auto ux = in_x.AllocTensor<T>();
    auto uy = in_y.AllocTensor<T>();
    AscendC::DataCopy(ux, gx, each);
    AscendC::DataCopy(uy, gy, each);
    in_x.EnQue(ux);
    in_y.EnQue(uy);
    ux = in_x.DeQue<T>();
    uy = in_y.DeQue<T>();
    auto uz = out.AllocTensor<T>();
    AscendC::Add(uz, ux, uy, each);
    out.EnQue(uz);
    in_x.FreeTensor(ux);
    in_y.FreeTensor(uy);
    uz = out.DeQue<T>();
    AscendC::DataCopy(gz, uz, each);
    out.FreeTensor(uz);
}

template <typename T>
int run(const char* type, uint32_t n, aclrtStream stream) {
    const size_t bytes = n * sizeof(T);
    std::vector<T> x(n);
    std::vector<T> y(n, T(0.5F));
    std::vector<T> z(n);
    for (uint32_t i = 0; i < n; ++i) {
        x[i] = T(float(i % 64));
    }
    void* dx = nullptr;
    void* dy = nullptr;
    void* dz = nullptr;
    aclrtMalloc(&dx, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dy, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMalloc(&dz, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    aclrtMemcpy(dx, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(dy, bytes, y.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtEvent start = nullptr;
    aclrtEvent end = nullptr;
    aclrtCreateEvent(&start);
    aclrtCreateEvent(&end);
    aclrtRecordEvent(start, stream);
    add_vectors<T><<<blocks, nullptr, stream>>>((uint8_t*)dx, (uint8_t*)dy, (uint8_t*)dz, n);
    aclrtRecordEvent(end, stream);
    aclrtSynchronizeStream(stream);
    float ms = 0;
    aclrtEventElapsedTime(&ms, start, end);
    aclrtMemcpy(z.data(), bytes, dz, bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    int wrong = 0;
    for (uint32_t i = 0; i < n; ++i) {
        wrong += float(z[i]) != float(i % 64) + 0.5F ? 1 : 0;
    }
    std::printf("%s: %d of %u wrong, %.2f us on %s\n", type, wrong, n, ms * 1000, aclrtGetSocName());
    for (void* memory : {dx, dy, dz}) {
        aclrtFree(memory);
    }
    aclrtDestroyEvent(start);
    aclrtDestroyEvent(end);
    return wrong;
}

int main(int argc, char** argv) {
    const uint32_t n = argc > 1 ? static_cast<uint32_t>(std::atoi(argv[1])) : 2048;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    const int wrong = run<float>("float", n, stream) + run<half>("half", n, stream);
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
