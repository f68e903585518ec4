// SPDX-License-Identifier: Apache-2.0
// y = maxima or means of the windows that slide over the last axes of x (kernels/ops/reduce/pool/pool.h).
#include "kernels/ops/reduce/pool/pool.h"

extern "C" __global__ __aicore__ void pool_max_float16(GM_ADDR x, GM_ADDR y, PoolTiling tiling) {
    Pool<half, half, false>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void pool_max_bfloat16(GM_ADDR x, GM_ADDR y, PoolTiling tiling) {
    Pool<bfloat16_t, float, false>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void pool_max_float32(GM_ADDR x, GM_ADDR y, PoolTiling tiling) {
    Pool<float, float, false>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void pool_mean_float16(GM_ADDR x, GM_ADDR y, PoolTiling tiling) {
    Pool<half, float, true>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void pool_mean_bfloat16(GM_ADDR x, GM_ADDR y, PoolTiling tiling) {
    Pool<bfloat16_t, float, true>(x, y, tiling).Process();
}

extern "C" __global__ __aicore__ void pool_mean_float32(GM_ADDR x, GM_ADDR y, PoolTiling tiling) {
    Pool<float, float, true>(x, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include "kernels/ops/reduce/pool/pool_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::PoolHost host;
    return &host;
}
#endif
