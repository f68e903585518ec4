// SPDX-License-Identifier: Apache-2.0
// A 3 x 3 convolution of stride 1 by Winograd's algorithm: transforms on vector cores, and between them (m +
// 2)^2 products, which conv2d does as a 1 x 1 convolution in so many groups. Filters come transformed: U = G
// w G^T.
#include "kernels/ops/conv/winograd/winograd_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/conv/winograd/winograd_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const winograd::WinogradHost host;
    return &host;
}
#else
#include "kernels/ops/conv/winograd/winograd_kernel.h"

extern "C" __global__ __aicore__ void winograd_inputs(GM_ADDR x, GM_ADDR v, winograd::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    winograd::Inputs(x, v, tiling).Run();
}

extern "C" __global__ __aicore__ void winograd_results(GM_ADDR m, GM_ADDR y, winograd::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    winograd::Results(m, y, tiling).Run();
}
#endif
