// SPDX-License-Identifier: Apache-2.0
// Convolution of images on cube cores: Y = X * W, X and Y as NC1HWC0, W as the cube takes it, (C1*KH*KW, N1,
// 16, C0), with C0 channels in 32 bytes. The image is unrolled on its way from L1 to L0A; it crosses the
// memory once for all taps.
//
// Convolutions in groups have the N1 of one group in W. A depthwise one joins 16 channels to a group whose
// filter has zeros off its diagonal (FRACTAL_Z with groups, as the operator library on Atlas A2 does it): the
// cube has no narrower one.
//
// A bias for each output channel is where sums begin on split cores, and is added on the way out on coupled
// ones. ReLU is on the way out; other activations are the vector unit's: of the same core on coupled chips,
// of the group's vector cores on split ones, which take tiles as the cube core leaves them.
#include "kernels/ops/conv/conv2d/conv2d_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/conv/conv2d/conv2d_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const conv2d::Conv2dHost host;
    return &host;
}
#else
#include "kernels/ops/conv/conv2d/conv2d_kernel.h"
#include "kernels/ops/conv/conv2d/conv2d_vector.h"

namespace conv2d {

/// The buffers of a launch, in the order of its arguments.
struct Addresses {
    GM_ADDR x;
    GM_ADDR w;
    GM_ADDR bias;
    GM_ADDR y;
};

template <typename T>
__aicore__ inline void RunWith(const Addresses& gm, const Tiling& tiling, const epilogue::Epilogue& with) {
    if ASCEND_IS_AIC {
        if constexpr (sizeof(T) == sizeof(float)) {
            SetHF32Mode(tiling.hf32 != 0);
        }
        Convolution<T, true>(gm.x, gm.w, gm.bias, gm.y, tiling, with).Run();
    }
#if __NPU_ARCH__ == 2201
    if ASCEND_IS_NOT_AIC {
        ActivatedImage<T>(gm.y, tiling, with).Run();
    }
#endif
}

}  // namespace conv2d

extern "C" __global__ __aicore__ void conv2d_half(GM_ADDR x, GM_ADDR w, GM_ADDR y, conv2d::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::Convolution<half>(x, w, y, tiling).Run();
}

extern "C" __global__ __aicore__ void conv2d_bfloat16(GM_ADDR x,
                                                      GM_ADDR w,
                                                      GM_ADDR y,
                                                      conv2d::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::Convolution<bfloat16_t>(x, w, y, tiling).Run();
}

extern "C" __global__ __aicore__ void conv2d_float(GM_ADDR x, GM_ADDR w, GM_ADDR y, conv2d::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    AscendC::SetHF32Mode(tiling.hf32 != 0);
    conv2d::Convolution<float>(x, w, y, tiling).Run();
}

extern "C" __global__ __aicore__ void conv2d_half_epilogue(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, conv2d::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::RunWith<half>({x, w, bias, y}, tiling, with);
}

extern "C" __global__ __aicore__ void conv2d_half_activated(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, conv2d::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    conv2d::RunWith<half>({x, w, bias, y}, tiling, with);
}

extern "C" __global__ __aicore__ void conv2d_bfloat16_epilogue(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, conv2d::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::RunWith<bfloat16_t>({x, w, bias, y}, tiling, with);
}

extern "C" __global__ __aicore__ void conv2d_bfloat16_activated(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, conv2d::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    conv2d::RunWith<bfloat16_t>({x, w, bias, y}, tiling, with);
}

extern "C" __global__ __aicore__ void conv2d_float_epilogue(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, conv2d::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    conv2d::RunWith<float>({x, w, bias, y}, tiling, with);
}

extern "C" __global__ __aicore__ void conv2d_float_activated(
    GM_ADDR x, GM_ADDR w, GM_ADDR bias, GM_ADDR y, conv2d::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    conv2d::RunWith<float>({x, w, bias, y}, tiling, with);
}
#endif
