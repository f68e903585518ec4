// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication on cube cores: C[m, n] = A[m, k] x B[k, n], each operand as it is or transposed.
#include "kernels/matmul_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/matmul_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul::MatmulHost host;
    return &host;
}
#else
#include "kernels/matmul_kernel.hpp"

namespace matmul {

template <typename T>
__aicore__ inline void Dispatch(GM_ADDR a, GM_ADDR b, GM_ADDR c, const Tiling& tiling) {
    if (tiling.m == 0 || tiling.n == 0) {
        return;
    }
    switch (tiling.out) {
        case out_half:
            Matmul<T, float, half>(a, b, c, tiling).Run();
            return;
        case out_bfloat16:
            Matmul<T, float, bfloat16_t>(a, b, c, tiling).Run();
            return;
        default:
            Matmul<T, float, float>(a, b, c, tiling).Run();
            return;
    }
}

}  // namespace matmul

extern "C" __global__ __aicore__ void matmul_half(GM_ADDR a, GM_ADDR b, GM_ADDR c, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::Dispatch<half>(a, b, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_bfloat16(GM_ADDR a,
                                                      GM_ADDR b,
                                                      GM_ADDR c,
                                                      matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::Dispatch<bfloat16_t>(a, b, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_float(GM_ADDR a, GM_ADDR b, GM_ADDR c, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    matmul::Dispatch<float>(a, b, c, tiling);
}

extern "C" __global__ __aicore__ void matmul_int8(GM_ADDR a, GM_ADDR b, GM_ADDR c, matmul::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
    if (tiling.m != 0 && tiling.n != 0) {
        matmul::Matmul<int8_t, int32_t, int32_t>(a, b, c, tiling).Run();
    }
}
#endif
