// SPDX-License-Identifier: Apache-2.0
// A product of few rows with weights of 8 bits, C[m, n] = A[m, k] x ((W[k, n] + offset[n]) * scale[n]),
// without widening W: the vector cores split each value of A, of 16 bits, into two of 8; the cube multiplies
// both parts by W as it is; the vector cores put the sums together.
#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const few_rows::FewRowsHost host;
    return &host;
}
#else
#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_cube.h"
#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_vector.h"

namespace few_rows {

template <typename T>
__aicore__ inline void Multiply(
    GM_ADDR a, GM_ADDR w, GM_ADDR scale, GM_ADDR offset, GM_ADDR c, GM_ADDR workspace, const Tiling& tiling) {
    GM_ADDR room = AscendC::GetUserWorkspace(workspace);
    if ASCEND_IS_NOT_AIV {
        CubeProgram(w, room, tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        {
            AscendC::TPipe pipe;
            Splitting<T>(a, room, tiling, pipe).Run();
        }
        AscendC::SyncAll<true>();
        AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(parts_flag);
        AscendC::TPipe pipe;
        Joining<T>(scale, offset, c, room, tiling, pipe).Run();
    }
}

}  // namespace few_rows

extern "C" __global__ __aicore__ void weight_quant_few_rows_half(GM_ADDR a,
                                                                 GM_ADDR w,
                                                                 GM_ADDR scale,
                                                                 GM_ADDR offset,
                                                                 GM_ADDR c,
                                                                 GM_ADDR workspace,
                                                                 few_rows::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    few_rows::Multiply<half>(a, w, scale, offset, c, workspace, tiling);
}

extern "C" __global__ __aicore__ void weight_quant_few_rows_bfloat16(GM_ADDR a,
                                                                     GM_ADDR w,
                                                                     GM_ADDR scale,
                                                                     GM_ADDR offset,
                                                                     GM_ADDR c,
                                                                     GM_ADDR workspace,
                                                                     few_rows::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    few_rows::Multiply<bfloat16_t>(a, w, scale, offset, c, workspace, tiling);
}
#endif
