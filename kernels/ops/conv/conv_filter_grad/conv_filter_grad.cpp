// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution's filter on cube cores, in two or three dimensions: Y += G * X over all
// output positions, with the results' gradient G as NDC1HWC0 (channels of the output), the images X as
// NDC1HWC0, Y in fp32 as (KD*C1*KH*KW, N, 16), N output channels. X is unrolled on its way from L1 to L0B.
// Cores share all tiles and output planes evenly; a core keeps the sum of a tile in L0C as long as it stays
// with it, then adds it in global memory.
#include "kernels/ops/conv/conv_filter_grad/conv_filter_grad_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/conv/conv_filter_grad/conv_filter_grad_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const conv_filter_grad::ConvFilterGradHost host;
    return &host;
}
#else
#include "kernels/ops/conv/conv_filter_grad/conv_filter_grad_kernel.h"

extern "C" __global__ __aicore__ void conv_filter_grad_half(GM_ADDR g,
                                                            GM_ADDR x,
                                                            GM_ADDR y,
                                                            conv_filter_grad::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv_filter_grad::FilterGrad<half>(g, x, y, tiling).Run();
}

extern "C" __global__ __aicore__ void conv_filter_grad_bfloat16(GM_ADDR g,
                                                                GM_ADDR x,
                                                                GM_ADDR y,
                                                                conv_filter_grad::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv_filter_grad::FilterGrad<bfloat16_t>(g, x, y, tiling).Run();
}
#endif
