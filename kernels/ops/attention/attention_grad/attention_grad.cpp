// SPDX-License-Identifier: Apache-2.0
// Gradients of attention: dq, dk and dv of o = softmax(q k^T * scale) v for a gradient dy of o, with the row
// maxima and sums that the forward pass has kept. As the operator library's published kernel
// (ops-transformer, flash_attention_score_grad, s1s2_bn2gs1s2), whose vector cores ask the cube core for five
// products of each tile by messages; dq, dk and dv are added up in fp32 in global memory by whoever computes
// a part of them, and rounded at the end.
#include "kernels/ops/attention/attention_grad/attention_grad_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/attention/attention_grad/attention_grad_host.hpp"
#else
#include "kernel_operator.h"
#include "kernels/ops/attention/attention_grad/attention_grad_edges.h"
#include "kernels/ops/attention/attention_grad/attention_grad_steps.h"

using namespace AscendC;

namespace attention_grad {

struct Results {
    GM_ADDR dq;
    GM_ADDR dk;
    GM_ADDR dv;
};

template <typename T>
__aicore__ inline void Differentiate(
    const Inputs& inputs, GM_ADDR o, const Results& results, GM_ADDR workspace_at, const GradTiling& tiling) {
    const Tiling& t = tiling.attention;
    TPipe pipe;
    Objects<T> objects;
    REGIST_MATMUL_OBJ(&pipe,
                      GetSysWorkSpacePtr(),
                      objects.scores,
                      &tiling.scores,
                      objects.query_grad,
                      &tiling.query_grad,
                      objects.key_grad,
                      &tiling.key_grad);
    if ASCEND_IS_NOT_AIC {
        const Workspace<T> workspace(GetUserWorkspace(workspace_at), t);
        { Front<T>(inputs.dy, o, workspace, t, pipe).Run(); }
        SyncAll<true>();
        pipe.Reset();
        { GradSteps<T>(inputs, objects, workspace, tiling, pipe).Run(); }
        SyncAll<true>();
        pipe.Reset();
        { Back<T>(workspace, t, pipe).Run(results.dq, results.dk, results.dv); }
    }
}

}  // namespace attention_grad

extern "C" __global__ __aicore__ void attention_grad_float16(GM_ADDR q,
                                                             GM_ADDR k,
                                                             GM_ADDR v,
                                                             GM_ADDR dy,
                                                             GM_ADDR o,
                                                             GM_ADDR maxima,
                                                             GM_ADDR row_sums,
                                                             GM_ADDR dq,
                                                             GM_ADDR dk,
                                                             GM_ADDR dv,
                                                             GM_ADDR workspace,
                                                             attention_grad::GradTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention_grad::Differentiate<half>({q, k, v, dy, maxima, row_sums}, o, {dq, dk, dv}, workspace, tiling);
}

extern "C" __global__ __aicore__ void attention_grad_bfloat16(GM_ADDR q,
                                                              GM_ADDR k,
                                                              GM_ADDR v,
                                                              GM_ADDR dy,
                                                              GM_ADDR o,
                                                              GM_ADDR maxima,
                                                              GM_ADDR row_sums,
                                                              GM_ADDR dq,
                                                              GM_ADDR dk,
                                                              GM_ADDR dv,
                                                              GM_ADDR workspace,
                                                              attention_grad::GradTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    attention_grad::Differentiate<bfloat16_t>(
        {q, k, v, dy, maxima, row_sums}, o, {dq, dk, dv}, workspace, tiling);
}
#endif
