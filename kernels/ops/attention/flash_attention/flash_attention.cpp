// SPDX-License-Identifier: Apache-2.0
// Attention without its matrix of scores in memory: o = softmax(q k^T / sqrt(dim) + mask) v, tile by tile,
// with the softmax computed on-line. A mixed kernel: cube cores multiply, two vector cores each turn scores
// into probabilities, and the cube works on the next tiles' scores meanwhile.
//
// For example q, o [32, 197, 16, 80] (image tokens), k, v [32, 77, 16, 80] (text tokens).
#include "kernels/ops/attention/flash_attention/flash_attention_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/attention/flash_attention/flash_attention_host.hpp"
#else
#include "kernel_operator.h"
#include "kernels/ops/attention/flash_attention/flash_attention_cube.h"
#include "kernels/ops/attention/flash_attention/flash_attention_vector.h"

using namespace AscendC;

namespace flash_attention {

template <typename T>
__aicore__ inline void Attend(
    GM_ADDR q, GM_ADDR k, GM_ADDR v, GM_ADDR mask, GM_ADDR o, GM_ADDR workspace, const Tiling& tiling) {
    if ASCEND_IS_NOT_AIV {
        CubeProgram<T>(q, k, v, GetUserWorkspace(workspace), tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        VectorProgram<T>(mask, o, GetUserWorkspace(workspace), tiling).Run();
    }
}

}  // namespace flash_attention

extern "C" __global__ __aicore__ void flash_attention_float16(GM_ADDR q,
                                                              GM_ADDR k,
                                                              GM_ADDR v,
                                                              GM_ADDR mask,
                                                              GM_ADDR o,
                                                              GM_ADDR workspace,
                                                              flash_attention::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    flash_attention::Attend<half>(q, k, v, mask, o, workspace, tiling);
}

extern "C" __global__ __aicore__ void flash_attention_bfloat16(GM_ADDR q,
                                                               GM_ADDR k,
                                                               GM_ADDR v,
                                                               GM_ADDR mask,
                                                               GM_ADDR o,
                                                               GM_ADDR workspace,
                                                               flash_attention::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    flash_attention::Attend<bfloat16_t>(q, k, v, mask, o, workspace, tiling);
}
#endif
