// SPDX-License-Identifier: Apache-2.0
// Gelu((A x B[g]) * scale[g] * row_scale) for groups of rows, A and B of int8, C of half: the cube core
// leaves int32 sums of a block in global memory, its vector cores scale and activate them. With one slot for
// a block both wait for each other, with several the cube works ahead.
#include "kernels/grouped_matmul_gelu_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/grouped_matmul_gelu_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const grouped_gelu::GroupedGeluHost host;
    return &host;
}
#else
#include "kernels/grouped_matmul_gelu_cube.hpp"
#include "kernels/grouped_matmul_gelu_vector.hpp"

namespace grouped_gelu {

__aicore__ inline void Run(GM_ADDR a,
                           GM_ADDR b,
                           GM_ADDR scale,
                           GM_ADDR row_scale,
                           GM_ADDR row_ends,
                           GM_ADDR c,
                           GM_ADDR workspace,
                           const Tiling& tiling) {
    if ASCEND_IS_NOT_AIV {
        CubeProgram(a, b, row_ends, AscendC::GetUserWorkspace(workspace), tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        VectorProgram(scale, row_scale, row_ends, AscendC::GetUserWorkspace(workspace), c, tiling).Run();
    }
}

}  // namespace grouped_gelu

extern "C" __global__ __aicore__ void grouped_matmul_gelu_one(GM_ADDR a,
                                                              GM_ADDR b,
                                                              GM_ADDR scale,
                                                              GM_ADDR row_scale,
                                                              GM_ADDR row_ends,
                                                              GM_ADDR c,
                                                              GM_ADDR workspace,
                                                              grouped_gelu::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
    grouped_gelu::Run(a, b, scale, row_scale, row_ends, c, workspace, tiling);
}

extern "C" __global__ __aicore__ void grouped_matmul_gelu_two(GM_ADDR a,
                                                              GM_ADDR b,
                                                              GM_ADDR scale,
                                                              GM_ADDR row_scale,
                                                              GM_ADDR row_ends,
                                                              GM_ADDR c,
                                                              GM_ADDR workspace,
                                                              grouped_gelu::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    grouped_gelu::Run(a, b, scale, row_scale, row_ends, c, workspace, tiling);
}
#endif
