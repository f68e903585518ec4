// SPDX-License-Identifier: Apache-2.0
// Attention as models serve it: o = softmax((q k^T + q_rope k_rope^T) * scale + mask) v, of many queries
// (prefill) or few (decode). Heads from 16 to 512 wide; key heads shared by query heads, whose queries then
// form one tile; keys in a row, in blocks of a paged cache, or chosen one by one and gathered by the vector
// cores; keys split over cores where there are fewer queries than these could work on; caches of bytes, which
// the vector cores widen or, where queries are bytes, too, the cube multiplies.
//
// A mixed kernel: the cube multiplies, two vector cores turn scores into probabilities, and the cube works on
// the next tiles' scores meanwhile.
#include "kernels/ops/attention/attention/attention_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/attention/attention/attention_host.hpp"
#else
#include "kernel_operator.h"
#include "kernels/ops/attention/attention/attention_cube.h"
#include "kernels/ops/attention/attention/attention_cube_bytes.h"
#include "kernels/ops/attention/attention/attention_vector.h"

using namespace AscendC;

namespace attention {

template <typename T>
__aicore__ inline void Attend(GM_ADDR q,
                              GM_ADDR q_rope,
                              GM_ADDR k,
                              GM_ADDR k_rope,
                              GM_ADDR v,
                              GM_ADDR mask,
                              GM_ADDR table,
                              GM_ADDR o,
                              GM_ADDR workspace,
                              const Tiling& tiling) {
    GM_ADDR scratch = GetUserWorkspace(workspace);
    if ASCEND_IS_NOT_AIV {
        CubeProgram<T>(q, q_rope, k, k_rope, v, table, scratch, tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        {
            TPipe pipe;
            VectorProgram<T, FlagHandOver<T>>(mask, {k, k_rope, v, table}, o, scratch, tiling, pipe).Run();
        }
        if (tiling.splits > 1) {
            SyncAll<true>();
            Combination<T>(o, scratch, tiling).Run();
        }
    }
}

/// The same with queries and keys in bytes.
template <typename T>
__aicore__ inline void AttendInBytes(GM_ADDR q,
                                     GM_ADDR q_scale,
                                     GM_ADDR q_rope,
                                     GM_ADDR k,
                                     GM_ADDR k_rope,
                                     GM_ADDR table,
                                     GM_ADDR o,
                                     GM_ADDR workspace,
                                     const Tiling& tiling) {
    GM_ADDR scratch = GetUserWorkspace(workspace);
    if ASCEND_IS_NOT_AIV {
        ByteCubeProgram<T>(q, q_rope, k, k_rope, table, scratch, tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        {
            TPipe pipe;
            VectorProgram<T, FlagHandOver<T>, true> program(
                nullptr, {k, k_rope, k, table}, o, scratch, tiling, pipe);
            program.SetFactors(q_scale);
            program.Run();
        }
        if (tiling.splits > 1) {
            SyncAll<true>();
            Combination<T>(o, scratch, tiling).Run();
        }
    }
}

/// The same with products that vector cores ask for.
template <typename T>
__aicore__ inline void AttendByRequests(GM_ADDR q,
                                        GM_ADDR k,
                                        GM_ADDR v,
                                        GM_ADDR mask,
                                        GM_ADDR o,
                                        GM_ADDR workspace,
                                        const RequestTiling& tiling) {
    TPipe pipe;
    ScoresObject<T> scores;
    ProductObject<T> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), scores, &tiling.scores, product, &tiling.product);
    if ASCEND_IS_NOT_AIC {
        VectorProgram<T, RequestHandOver<T>>(
            mask, {q, k, v, &scores, &product}, o, GetUserWorkspace(workspace), tiling.attention, pipe)
            .Run();
    }
}

}  // namespace attention

extern "C" __global__ __aicore__ void attention_float16(GM_ADDR q,
                                                        GM_ADDR q_rope,
                                                        GM_ADDR k,
                                                        GM_ADDR k_rope,
                                                        GM_ADDR v,
                                                        GM_ADDR mask,
                                                        GM_ADDR table,
                                                        GM_ADDR o,
                                                        GM_ADDR workspace,
                                                        attention::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention::Attend<half>(q, q_rope, k, k_rope, v, mask, table, o, workspace, tiling);
}

extern "C" __global__ __aicore__ void attention_bfloat16(GM_ADDR q,
                                                         GM_ADDR q_rope,
                                                         GM_ADDR k,
                                                         GM_ADDR k_rope,
                                                         GM_ADDR v,
                                                         GM_ADDR mask,
                                                         GM_ADDR table,
                                                         GM_ADDR o,
                                                         GM_ADDR workspace,
                                                         attention::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention::Attend<bfloat16_t>(q, q_rope, k, k_rope, v, mask, table, o, workspace, tiling);
}

extern "C" __global__ __aicore__ void attention_bytes_float16(GM_ADDR q,
                                                              GM_ADDR q_scale,
                                                              GM_ADDR q_rope,
                                                              GM_ADDR k,
                                                              GM_ADDR k_rope,
                                                              GM_ADDR table,
                                                              GM_ADDR o,
                                                              GM_ADDR workspace,
                                                              attention::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention::AttendInBytes<half>(q, q_scale, q_rope, k, k_rope, table, o, workspace, tiling);
}

extern "C" __global__ __aicore__ void attention_bytes_bfloat16(GM_ADDR q,
                                                               GM_ADDR q_scale,
                                                               GM_ADDR q_rope,
                                                               GM_ADDR k,
                                                               GM_ADDR k_rope,
                                                               GM_ADDR table,
                                                               GM_ADDR o,
                                                               GM_ADDR workspace,
                                                               attention::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention::AttendInBytes<bfloat16_t>(q, q_scale, q_rope, k, k_rope, table, o, workspace, tiling);
}

extern "C" __global__ __aicore__ void attention_requests_float16(GM_ADDR q,
                                                                 GM_ADDR k,
                                                                 GM_ADDR v,
                                                                 GM_ADDR mask,
                                                                 GM_ADDR o,
                                                                 GM_ADDR workspace,
                                                                 attention::RequestTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention::AttendByRequests<half>(q, k, v, mask, o, workspace, tiling);
}

extern "C" __global__ __aicore__ void attention_requests_bfloat16(GM_ADDR q,
                                                                  GM_ADDR k,
                                                                  GM_ADDR v,
                                                                  GM_ADDR mask,
                                                                  GM_ADDR o,
                                                                  GM_ADDR workspace,
                                                                  attention::RequestTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention::AttendByRequests<bfloat16_t>(q, k, v, mask, o, workspace, tiling);
}
#endif
