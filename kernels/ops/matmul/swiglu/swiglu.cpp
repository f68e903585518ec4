// SPDX-License-Identifier: Apache-2.0
// SwiGLU, the gated half of a feed-forward layer: y = silu(x Wg) * (x Wu), as one mixed kernel or as four,
// and its gradients.
//
//   native:     MatMul -> SiLU -> MatMul -> Mul, each a launch of its own, each result in global memory
//   fused:      one mixed kernel; cube and vector cores take turns, every buffer is single
//   optimised:  the same with buffers in pairs; the cube core is a unit ahead of its vector cores
#include "kernels/ops/matmul/swiglu/swiglu_tiling.hpp"

#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/swiglu/swiglu_host.hpp"
#else
#include "kernel_operator.h"
#include "kernels/ops/matmul/swiglu/swiglu_vector.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void swiglu_fused(
    GM_ADDR x, GM_ADDR gate, GM_ADDR up, GM_ADDR y, GM_ADDR workspace, swiglu::Tiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    if ASCEND_IS_NOT_AIV {
        swiglu::CubeProgram(x, gate, up, GetUserWorkspace(workspace), tiling).Run();
    }
    if ASCEND_IS_NOT_AIC {
        swiglu::VectorProgram(y, GetUserWorkspace(workspace), tiling).Run();
    }
}

extern "C" __global__ __aicore__ void swiglu_silu(GM_ADDR gate, GM_ADDR y, swiglu::VectorTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    swiglu::Elementwise<1, 1>({gate}, {y}, tiling)
        .Run([](LocalTensor<float>* v, const LocalTensor<float>& work, int32_t count) {
            swiglu::Silu(work, v[0], count);
            Adds(v[0], work, 0.0F, count);
            PipeBarrier<PIPE_V>();
        });
}

extern "C" __global__ __aicore__ void swiglu_mul(GM_ADDR a,
                                                 GM_ADDR b,
                                                 GM_ADDR y,
                                                 swiglu::VectorTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    swiglu::Elementwise<2, 1>({a, b}, {y}, tiling)
        .Run([](LocalTensor<float>* v, const LocalTensor<float>&, int32_t count) {
            Mul(v[0], v[0], v[1], count);
            PipeBarrier<PIPE_V>();
        });
}

extern "C" __global__ __aicore__ void swiglu_add(GM_ADDR a,
                                                 GM_ADDR b,
                                                 GM_ADDR y,
                                                 swiglu::VectorTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    swiglu::Elementwise<2, 1>({a, b}, {y}, tiling)
        .Run([](LocalTensor<float>* v, const LocalTensor<float>&, int32_t count) {
            Add(v[0], v[0], v[1], count);
            PipeBarrier<PIPE_V>();
        });
}

extern "C" __global__ __aicore__ void swiglu_gradients(
    GM_ADDR dy, GM_ADDR gate, GM_ADDR up, GM_ADDR dgate, GM_ADDR dup, swiglu::VectorTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    swiglu::Elementwise<3, 2>({dy, gate, up}, {dup, dgate}, tiling)
        .Run([](LocalTensor<float>* v, const LocalTensor<float>& work, int32_t count) {
            swiglu::Gradients(v, work, count);
        });
}
#endif
