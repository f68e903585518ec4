// SPDX-License-Identifier: Apache-2.0
// Ten products in a chain, each of the result before: x <- x * w, ten times. With "graph" they are captured
// once and executed together:
//   ascendsim run ten_products.cpp -- 1024
//   ascendsim run ten_products.cpp -- 1024 graph
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "products.h"

int main(int argc, char** argv) {
    const int32_t n = argc > 1 ? std::atoi(argv[1]) : 256;
    const bool graph = argc > 2 && std::strcmp(argv[2], "graph") == 0;
    constexpr int products = 10;
    aclInit(nullptr);
    aclrtSetDevice(0);
    aclrtStream stream = nullptr;
    aclrtCreateStream(&stream);
    const size_t bytes = static_cast<size_t>(n) * n * sizeof(aclFloat16);
    // w moves each column to the next one and halves every other one, so that each result is exact.
    std::vector<aclFloat16> x(static_cast<size_t>(n) * n);
    std::vector<aclFloat16> w(x.size(), aclFloatToFloat16(0));
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            x[static_cast<size_t>(i) * n + j] = aclFloatToFloat16(static_cast<float>((i * 7 + j) % 64 - 32));
        }
        w[static_cast<size_t>(i) * n + (i + 1) % n] = aclFloatToFloat16(i % 2 == 0 ? 1.0F : 0.5F);
    }
    void* buffers[3] = {};  // x and the results in turns, and w
    for (void*& buffer : buffers) {
        aclrtMalloc(&buffer, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    }
    aclrtMemcpy(buffers[0], bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    aclrtMemcpy(buffers[2], bytes, w.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE);
    const Product each = share(n, n, n, false, false);
    aclmdlRI model = nullptr;
    if (graph) {
        aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    }
    for (int i = 0; i < products; ++i) {
        multiply(each, buffers[i % 2], buffers[2], buffers[(i + 1) % 2], stream);
    }
    if (graph) {
        aclmdlRICaptureEnd(stream, &model);
        aclmdlRIExecuteAsync(model, stream);
    }
    aclrtSynchronizeStream(stream);
    std::vector<aclFloat16> y(x.size());
    aclrtMemcpy(y.data(), bytes, buffers[0], bytes, ACL_MEMCPY_DEVICE_TO_HOST);
    uint32_t wrong = 0;
    for (int32_t i = 0; i < n; ++i) {
        for (int32_t j = 0; j < n; ++j) {
            // Ten columns on, and five times halved: of ten neighbouring columns every other one halves.
            const float from = aclFloat16ToFloat(x[static_cast<size_t>(i) * n + j]) / 32.0F;
            wrong += aclFloat16ToFloat(y[static_cast<size_t>(i) * n + (j + products) % n]) != from ? 1 : 0;
        }
    }
    std::printf("ten products of %d x %d%s: wrong: %u\n", n, n, graph ? " in a graph" : "", wrong);
    if (graph) {
        aclmdlRIDestroy(model);
    }
    for (void* buffer : buffers) {
        aclrtFree(buffer);
    }
    aclrtDestroyStream(stream);
    aclrtResetDevice(0);
    aclFinalize();
    return wrong == 0 ? 0 : 1;
}
