// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on cube cores: C[m, n] = A[m, k] x B[k, n], each operand as it is or transposed; or
// several such products, whose rows of A and C follow each other, each with a B of its own. A bias for each
// column is where sums begin on split cores, and is added on the way out on coupled ones; ReLU is on the way
// out; other activations are the vector unit's, on split cores that of the group's vector cores.
#include "kernels/ops/matmul/matmul/matmul_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul/matmul_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul::MatmulHost host;
    return &host;
}
#else
#include "kernels/ops/matmul/matmul/matmul_kernel.h"
#include "kernels/ops/matmul/matmul/matmul_vector.h"

namespace matmul {

template <typename T>
__aicore__ inline void Dispatch(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, const Tiling& tiling) {
    if (tiling.m == 0 || tiling.n == 0) {
        return;
    }
    switch (tiling.out) {
        case out_half:
            Matmul<T, float, half>(a, b, c, row_ends, tiling).Run();
            return;
        case out_bfloat16:
            Matmul<T, float, bfloat16_t>(a, b, c, row_ends, tiling).Run();
            return;
        default:
            Matmul<T, float, float>(a, b, c, row_ends, tiling).Run();
            return;
    }
}

/// The buffers of a launch with an epilogue, in the order of its arguments.
struct Addresses {
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR bias;
    GM_ADDR c;
};

template <typename T, typename Sum, typename Out>
__aicore__ inline void RunFinished(const Addresses& gm,
                                   const Tiling& tiling,
                                   const epilogue::Epilogue& with) {
    if ASCEND_IS_AIC {
        Matmul<T, Sum, Out, true>(gm.a, gm.b, gm.c, gm.c, tiling, {gm.bias, with}).Run();
    }
#if __NPU_ARCH__ == 2201
    if ASCEND_IS_NOT_AIC {
        ActivatedProduct<Out>(gm.c, tiling, with).Run();
    }
#endif
}

template <typename T>
__aicore__ inline void DispatchFinished(const Addresses& gm,
                                        const Tiling& tiling,
                                        const epilogue::Epilogue& with) {
    if (tiling.m == 0 || tiling.n == 0) {
        return;
    }
    switch (tiling.out) {
        case out_half:
            RunFinished<T, float, half>(gm, tiling, with);
            return;
#if __NPU_ARCH__ == 2201
        case out_bfloat16:
            RunFinished<T, float, bfloat16_t>(gm, tiling, with);
            return;
#endif
        default:
            RunFinished<T, float, float>(gm, tiling, with);
            return;
    }
}

}  // namespace matmul

extern "C" __global__ __aicore__ void matmul_half(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::Dispatch<half>(a, b, c, row_ends, tiling);
}

extern "C" __global__ __aicore__ void matmul_bfloat16(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::Dispatch<bfloat16_t>(a, b, c, row_ends, tiling);
}

extern "C" __global__ __aicore__ void matmul_float(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::Dispatch<float>(a, b, c, row_ends, tiling);
}

extern "C" __global__ __aicore__ void matmul_int8(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR row_ends, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if (tiling.m == 0 || tiling.n == 0) {
        return;
    }
#if __NPU_ARCH__ == 2201  // Fixpipe scales
    if (tiling.out == matmul::out_half) {
        matmul::Matmul<int8_t, int32_t, half>(a, b, c, row_ends, tiling).Run();
        return;
    }
#endif
    matmul::Matmul<int8_t, int32_t, int32_t>(a, b, c, row_ends, tiling).Run();
}

extern "C" __global__ __aicore__ void matmul_half_epilogue(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, matmul::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::DispatchFinished<half>({a, b, bias, c}, tiling, with);
}

extern "C" __global__ __aicore__ void matmul_half_activated(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, matmul::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    matmul::DispatchFinished<half>({a, b, bias, c}, tiling, with);
}

extern "C" __global__ __aicore__ void matmul_bfloat16_epilogue(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, matmul::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::DispatchFinished<bfloat16_t>({a, b, bias, c}, tiling, with);
}

extern "C" __global__ __aicore__ void matmul_bfloat16_activated(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, matmul::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    matmul::DispatchFinished<bfloat16_t>({a, b, bias, c}, tiling, with);
}

extern "C" __global__ __aicore__ void matmul_float_epilogue(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, matmul::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::DispatchFinished<float>({a, b, bias, c}, tiling, with);
}

extern "C" __global__ __aicore__ void matmul_float_activated(
    GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR c, matmul::Tiling tiling, epilogue::Epilogue with) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    matmul::DispatchFinished<float>({a, b, bias, c}, tiling, with);
}
#endif
