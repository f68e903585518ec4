// SPDX-License-Identifier: Apache-2.0
// Less common forms of the high-level Matmul object, driven by vector cores: batches, a left operand in the
// unified buffer with a tiling known to the compiler, a left operand of one value, the upper or the lower
// triangle of C.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul/matmul_forms_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul_forms::MatmulFormsHost host;
    return &host;
}
#else
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

namespace matmul_forms {

using namespace AscendC;

template <LayoutMode layout>
using Batch = MatmulType<TPosition::GM, CubeFormat::ND, half, false, layout>;
template <LayoutMode layout>
using BatchC = MatmulType<TPosition::GM, CubeFormat::ND, float, false, layout>;
using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Float = MatmulType<TPosition::GM, CubeFormat::ND, float>;

constexpr MatmulConfig known_shape = [] {
    MatmulConfig config = GetNormalConfig();
    config.basicM = 32;
    config.basicN = 64;
    config.basicK = 32;
    return config;
}();

constexpr MatmulApiStaticTiling known_tiling =
    GetMatmulApiTiling<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, Half, Float, Float>(known_shape);

template <typename T>
__aicore__ inline GlobalTensor<T> At(GM_ADDR address, uint64_t elements) {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + elements);
    return tensor;
}

}  // namespace matmul_forms

using namespace matmul_forms;

// Four batches of A, two of B, each used twice; one matrix behind the other.
extern "C" __global__ __aicore__ void matmul_forms_batch(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Matmul<Batch<LayoutMode::NORMAL>, Batch<LayoutMode::NORMAL>, BatchC<LayoutMode::NORMAL>, Float> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        mm.IterateBatch(At<float>(c, 0), 4, 2, false);
    }
    mm.End();
}

// The same product with the batch axis inside: rows of all batches one after the other.
extern "C" __global__ __aicore__ void matmul_forms_inner(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Matmul<Batch<LayoutMode::BSNGD>, Batch<LayoutMode::BSNGD>, BatchC<LayoutMode::BSNGD>, Float> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 1) {
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        mm.template IterateBatch<false, true>(At<float>(c, 0), 4, 2, false);
        mm.WaitIterateBatch();
    }
    mm.End();
}

// Each vector core brings its rows of A to the unified buffer itself.
extern "C" __global__ __aicore__ void matmul_forms_local(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Matmul<MatmulType<TPosition::VECOUT, CubeFormat::ND, half>, Half, Float, Float, known_tiling> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    const uint32_t elements = static_cast<uint32_t>(tiling.singleCoreM * tiling.Ka);
    const uint64_t row = static_cast<uint64_t>(GetBlockIdx()) * tiling.singleCoreM;
    TQueBind<TPosition::GM, TPosition::VECOUT, 1> rows;
    pipe.InitBuffer(rows, 1, elements * sizeof(half));
    LocalTensor<half> left = rows.AllocTensor<half>();
    DataCopy(left, At<half>(a, row * tiling.Ka), elements);
    rows.EnQue(left);
    left = rows.DeQue<half>();
    mm.SetTensorA(left);
    mm.SetTensorB(At<half>(b, 0));
    mm.IterateAll(At<float>(c, row * tiling.N));
    rows.FreeTensor(left);
    mm.End();
}

// Sums of the columns of B: a left operand of ones.
extern "C" __global__ __aicore__ void matmul_forms_value(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Matmul<MatmulType<TPosition::GM, CubeFormat::SCALAR, half>, Half, Float, Float> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        mm.SetTensorA(half(1.0F));
        mm.SetTensorB(At<half>(b, 0));
        mm.IterateAll(At<float>(c, 0));
    }
    mm.End();
}

namespace matmul_forms {

template <template <const auto&, typename...> class Policy>
using Triangular =
    Matmul<Half, Half, Float, Float, CFG_NORM, MatmulCallBackFunc<nullptr, nullptr, nullptr>, Policy>;

}  // namespace matmul_forms

// Base blocks on the diagonal of C and above it; all at once.
extern "C" __global__ __aicore__ void matmul_forms_upper(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Triangular<AscendC::Impl::Detail::TrianUpperMatmulPolicy> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        mm.IterateAll(At<float>(c, 0));
    }
    mm.End();
}

// Those on it and below; one after the other.
extern "C" __global__ __aicore__ void matmul_forms_lower(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Triangular<AscendC::Impl::Detail::TrianLowerMatmulPolicy> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        const GlobalTensor<float> result = At<float>(c, 0);
        while (mm.Iterate()) {
            mm.GetTensorC(result);
        }
    }
    mm.End();
}
#endif
