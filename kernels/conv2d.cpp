// SPDX-License-Identifier: Apache-2.0
// Convolution of images on cube cores: Y = X * W, X and Y as NC1HWC0, W as the cube takes it, (C1*KH*KW, N1, 16, 16).
// The image is unrolled on its way from L1 to L0A; it crosses the memory once for all taps of the filter.
#include "kernels/conv2d_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/conv2d_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const conv2d::Conv2dHost host;
    return &host;
}
#else
#include "kernels/conv2d_kernel.hpp"

extern "C" __global__ __aicore__ void conv2d_half(GM_ADDR x, GM_ADDR w, GM_ADDR y, conv2d::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::Convolution<half>(x, w, y, tiling).Run();
}

extern "C" __global__ __aicore__ void conv2d_bfloat16(GM_ADDR x, GM_ADDR w, GM_ADDR y, conv2d::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::Convolution<bfloat16_t>(x, w, y, tiling).Run();
}
#endif
