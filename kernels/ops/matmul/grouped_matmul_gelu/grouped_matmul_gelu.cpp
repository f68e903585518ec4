// SPDX-License-Identifier: Apache-2.0
// Gelu((A x B[g]) * scale[g] * row_scale) for groups of rows, A and B of int8, C of half: the cube core
// leaves int32 sums of a block in global memory, its vector cores scale and activate them. With one slot for
// a block both wait for each other, with several the cube works ahead.
#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const grouped_gelu::GroupedGeluHost host;
    return &host;
}
#else
#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_cube.h"
#include "kernels/ops/matmul/grouped_matmul_gelu/grouped_matmul_gelu_vector.h"

namespace grouped_gelu {

/// The buffers of a launch, in the order of its arguments.
struct Addresses {
    GM_ADDR a;
    GM_ADDR b;
    GM_ADDR scale;
    GM_ADDR row_scale;
    GM_ADDR row_ends;
    GM_ADDR c;
    GM_ADDR workspace;
};

__aicore__ inline void Run(const Addresses& gm, const Tiling& tiling) {
    GM_ADDR sums = AscendC::GetUserWorkspace(gm.workspace);
    if ASCEND_IS_NOT_AIV {
        CubeProgram(gm.a, gm.b, gm.row_ends, sums, tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        VectorProgram(gm.scale, gm.row_scale, gm.row_ends, sums, gm.c, tiling).Run();
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
    grouped_gelu::Run({a, b, scale, row_scale, row_ends, c, workspace}, tiling);
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
    grouped_gelu::Run({a, b, scale, row_scale, row_ends, c, workspace}, tiling);
}
#endif
