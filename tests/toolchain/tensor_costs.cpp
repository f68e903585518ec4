// SPDX-License-Identifier: Apache-2.0
// A step of a product's pipeline, for tensor_costs_test.cpp: one of two buffers, and its parts loaded one by
// one.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t parts = 4;

__aicore__ inline void LoadParts(LocalTensor<half> from,
                                 LocalTensor<half> to,
                                 uint32_t first,
                                 uint32_t pitch) {
    LoadData2DParams params;
    params.repeatTimes = 2;
    params.srcStride = 1;
    for (uint32_t i = 0; i < parts; ++i) {
        LoadData(to[i * pitch], from[first + i * 1024], params);
    }
}

}  // namespace

extern "C" __global__ __aicore__ void loads_of_parts(uint32_t pitch, uint32_t rounds) {
    LocalTensor<half> ping(TPosition::A1, 0, 65536);
    LocalTensor<half> pong(TPosition::A1, 131072, 65536);
    LocalTensor<half> to(TPosition::B2, 0, 16384);
    for (uint32_t i = 0; i < rounds; ++i) {
        LocalTensor<half> from = i % 2 == 0 ? ping : pong;
        LoadParts(from, to, i % 8 * 4096, pitch);
    }
}
