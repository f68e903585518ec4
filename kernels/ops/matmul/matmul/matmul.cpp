// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on cube cores: C[m, n] = A[m, k] x B[k, n], each operand as it is or transposed; or
// several such products, whose rows of A and C follow each other, each with a B of its own.
#include "kernels/ops/matmul/matmul/matmul_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul/matmul_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul::MatmulHost host;
    return &host;
}
#else
#include "kernels/ops/matmul/matmul/matmul_kernel.h"

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
#endif
