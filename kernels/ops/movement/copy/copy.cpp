// SPDX-License-Identifier: Apache-2.0
// Copies and nothing else, to see what the ways to and from global memory give: a matrix read tile after tile
// into UB or L1 (own rows, all rows by every core, in step or staggered, once or again and again, through L2
// or past it), a tensor copied through UB, filled, or made of one row.
#include "kernels/ops/movement/copy/copy_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/movement/copy/copy_host.hpp"
#else
#include "kernels/ops/movement/copy/copy_kernel.h"

using namespace copying;

extern "C" __global__ __aicore__ void copy_to_ub(GM_ADDR x, GM_ADDR z, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    MatrixWalk<ToUb>(x, z, tiling).Process();
}

extern "C" __global__ __aicore__ void copy_to_l1(GM_ADDR x, GM_ADDR z, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    MatrixWalk<ToL1<half, false>>(x, z, tiling).Process();
}

extern "C" __global__ __aicore__ void copy_to_l1_nz16(GM_ADDR x, GM_ADDR z, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    MatrixWalk<ToL1<half, true>>(x, z, tiling).Process();
}

extern "C" __global__ __aicore__ void copy_to_l1_nz32(GM_ADDR x, GM_ADDR z, Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    MatrixWalk<ToL1<float, true>>(x, z, tiling).Process();
}

extern "C" __global__ __aicore__ void copy_through(GM_ADDR x, GM_ADDR z, FlatTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    Through(x, z, tiling).Process();
}

extern "C" __global__ __aicore__ void copy_fill(GM_ADDR z, FlatTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    FillAll(z, tiling).Process();
}

extern "C" __global__ __aicore__ void copy_spread(GM_ADDR x, GM_ADDR z, SpreadTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    Spread(x, z, tiling).Process();
}
#endif
