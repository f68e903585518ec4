// SPDX-License-Identifier: Apache-2.0
// y = x * w (+ bias): a convolution or a transposed one, in groups or not, of one to three axes, by the
// vector unit (kernels/ops/conv/vector_conv/vector_conv.h).
#include "kernels/ops/conv/vector_conv/vector_conv.h"

extern "C" __global__ __aicore__ void vector_conv_float16(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, VectorConvTiling tiling) {
    VectorConv<half>(x, w, bias, y, tiling).Process();
}

extern "C" __global__ __aicore__ void vector_conv_bfloat16(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, VectorConvTiling tiling) {
    VectorConv<bfloat16_t>(x, w, bias, y, tiling).Process();
}

extern "C" __global__ __aicore__ void vector_conv_float32(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, VectorConvTiling tiling) {
    VectorConv<float>(x, w, bias, y, tiling).Process();
}

#ifdef ASCENDSIM_HOST
#include "kernels/ops/conv/vector_conv/vector_conv_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::VectorConvHost host;
    return &host;
}
#endif
