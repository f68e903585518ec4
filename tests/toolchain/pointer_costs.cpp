// SPDX-License-Identifier: Apache-2.0
// Reads global memory by GetValue, through pointers, by references, and as kernels read their tiling.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

struct CostTiling {
    uint32_t count;
    uint32_t width;
    uint64_t places[13];  // 112 B in all
};

__aicore__ inline void Keep(GM_ADDR out, uint64_t sum) {
    GlobalTensor<uint64_t> to;
    to.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(out));
    to.SetValue(0, sum);
}

__aicore__ inline uint64_t SumOf(const CostTiling& tiling) {
    uint64_t sum = tiling.count + tiling.width;
    for (uint64_t place : tiling.places) {
        sum += place;
    }
    return sum;
}

}  // namespace

extern "C" __global__ __aicore__ void cost_of_values(GM_ADDR x, GM_ADDR out, uint32_t count) {
    GlobalTensor<uint32_t> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(x));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += from.GetValue(5 * i);
    }
    Keep(out, sum);
}

extern "C" __global__ __aicore__ void cost_of_references(GM_ADDR x, GM_ADDR out, uint32_t count) {
    GlobalTensor<uint32_t> from;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ uint32_t*>(x));
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += from(5 * i);
    }
    Keep(out, sum);
}

extern "C" __global__ __aicore__ void cost_of_pointers(GM_ADDR x, GM_ADDR out, uint32_t count) {
    const __gm__ uint32_t* from = reinterpret_cast<__gm__ uint32_t*>(x);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += from[5 * i];
    }
    Keep(out, sum);
}

extern "C" __global__ __aicore__ void cost_of_stores(GM_ADDR x, GM_ADDR out, uint32_t count) {
    __gm__ uint32_t* to = reinterpret_cast<__gm__ uint32_t*>(x);
    for (uint32_t i = 0; i < count; ++i) {
        to[5 * i] = i * count;
    }
    Keep(out, count);
}

extern "C" __global__ __aicore__ void cost_of_the_macro(GM_ADDR x, GM_ADDR out, uint32_t) {
    GET_TILING_DATA_WITH_STRUCT(CostTiling, tiling, x);
    Keep(out, SumOf(tiling));
}

extern "C" __global__ __aicore__ void cost_of_a_struct(GM_ADDR x, GM_ADDR out, uint32_t) {
    const CostTiling tiling = *reinterpret_cast<__gm__ CostTiling*>(x);
    Keep(out, SumOf(tiling));
}

extern "C" __global__ __aicore__ void cost_of_fields(GM_ADDR x, GM_ADDR out, uint32_t) {
    Keep(out, SumOf(*reinterpret_cast<__gm__ CostTiling*>(x)));
}

extern "C" __global__ __aicore__ void cost_of_a_copying_loop(GM_ADDR x, GM_ADDR out, uint32_t) {
    CostTiling tiling;
    const __gm__ uint32_t* from = reinterpret_cast<__gm__ uint32_t*>(x);
    uint32_t* to = reinterpret_cast<uint32_t*>(&tiling);
    for (uint32_t i = 0; i < sizeof(CostTiling) / sizeof(uint32_t); ++i) {
        to[i] = from[i];
    }
    Keep(out, SumOf(tiling));
}
