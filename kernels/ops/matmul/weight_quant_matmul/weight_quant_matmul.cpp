// SPDX-License-Identifier: Apache-2.0
// A product with weights of 8 bits: C[m, n] = A[m, k] x ((W[k, n] + offset[n]) * scale[n]), A and C of 16
// bits. The vector cores of a group widen a piece of W and leave it in global memory, where it stays in L2;
// the cube core multiplies it while they work on the next pieces.
#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const weight_quant::WeightQuantHost host;
    return &host;
}
#else
#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_cube.h"
#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_vector.h"

namespace weight_quant {

template <typename T>
__aicore__ inline void Multiply(
    GM_ADDR a, GM_ADDR w, GM_ADDR scale, GM_ADDR offset, GM_ADDR c, GM_ADDR workspace, const Tiling& tiling) {
    if ASCEND_IS_NOT_AIV {
        CubeProgram<T>(a, c, AscendC::GetUserWorkspace(workspace), tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        VectorProgram<T>(w, scale, offset, AscendC::GetUserWorkspace(workspace), tiling).Run();
    }
}

}  // namespace weight_quant

extern "C" __global__ __aicore__ void weight_quant_matmul_half(GM_ADDR a,
                                                               GM_ADDR w,
                                                               GM_ADDR scale,
                                                               GM_ADDR offset,
                                                               GM_ADDR c,
                                                               GM_ADDR workspace,
                                                               weight_quant::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    weight_quant::Multiply<half>(a, w, scale, offset, c, workspace, tiling);
}

extern "C" __global__ __aicore__ void weight_quant_matmul_bfloat16(GM_ADDR a,
                                                                   GM_ADDR w,
                                                                   GM_ADDR scale,
                                                                   GM_ADDR offset,
                                                                   GM_ADDR c,
                                                                   GM_ADDR workspace,
                                                                   weight_quant::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    weight_quant::Multiply<bfloat16_t>(a, w, scale, offset, c, workspace, tiling);
}
#endif
