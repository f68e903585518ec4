// SPDX-License-Identifier: Apache-2.0
// Less common forms of the high-level Matmul object, driven by vector cores: batches, a left operand in the
// unified buffer with a tiling known to the compiler, a left operand of one value, the upper or the lower
// triangle of C, and every way in which a result is taken (matmul_forms_results.h).
#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul/matmul_forms_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul_forms::MatmulFormsHost host;
    return &host;
}
#else
#include "kernels/ops/matmul/matmul_forms/matmul_forms_layouts.h"
#include "kernels/ops/matmul/matmul_forms/matmul_forms_policies.h"

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

// Two objects that would each fill more than half of L1 use it in turn.
extern "C" __global__ __aicore__ void matmul_forms_in_turn(GM_ADDR a,
                                                           GM_ADDR b,
                                                           GM_ADDR c,
                                                           TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Matmul<Half, Half, Float, Float> first;
    Matmul<Half, Half, Float, Float> second;
    // 32 blocks of 32 x 64 halves and 32 of 64 x 64: 384 KiB for each object.
    tiling.baseK = 64;
    tiling.depthA1 = 32;
    tiling.depthB1 = 32;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), first, &tiling, second, &tiling);
    if (GetBlockIdx() == 0) {
        const GlobalTensor<float> result = At<float>(c, 0);
        first.SetTensorA(At<half>(a, 0));
        first.SetTensorB(At<half>(b, 0));
        second.SetTensorA(At<half>(a, 0));
        second.SetTensorB(At<half>(b, 0));
        while (first.Iterate()) {
            second.IterateAll(result);
            first.GetTensorC(result);
        }
    }
    first.End();
    second.End();
}

namespace matmul_forms {

template <template <const auto&, typename...> class Policy>
using Triangular =
    Matmul<Half, Half, Float, Float, CFG_NORM, MatmulCallBackFunc<nullptr, nullptr, nullptr>, Policy>;

template <PolicyKind kind>
using Chosen = typename PolicyChoice<kind>::template Result<CFG_NORM, void, Half, Half, Float, Float>;
static_assert(matmul_detail::ReplacesModules<Chosen<PolicyKind::keeping>>);  // whose objects stop a run
static_assert(!matmul_detail::ReplacesModules<Chosen<PolicyKind::upper>>);

}  // namespace matmul_forms

// Base blocks on the diagonal of C and above it; all at once.
extern "C" __global__ __aicore__ void matmul_forms_upper(GM_ADDR a,
                                                         GM_ADDR b,
                                                         GM_ADDR c,
                                                         TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Triangular<PolicyChoice<PolicyKind::upper>::template Result> mm;
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

namespace matmul_forms {

/// Does `work` with the object and the part of C that is the first vector core's.
template <class C,
          const auto& config = CFG_NORM,
          class A = Half,
          class B = Half,
          class Bias = Float,
          class Work>
__aicore__ inline void Alone(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, const TCubeTiling& tiling, Work&& work) {
    TPipe pipe;
    Matmul<A, B, C, Bias, config> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        work(mm, pipe, Part{a, b, c, room, 0, tiling.M});
    }
    mm.End();
}

}  // namespace matmul_forms

// Block by block to the unified buffer.
extern "C" __global__ __aicore__ void matmul_forms_sync_local(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        Loop<true>(mm, store, tiling, part);
    });
}

// The same asynchronously.
extern "C" __global__ __aicore__ void matmul_forms_async_loop(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        Loop<false>(mm, store, tiling, part);
    });
}

// One asynchronous Iterate for all results.
extern "C" __global__ __aicore__ void matmul_forms_async_count(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        Counted(mm, store, tiling, part);
    });
}

// Results in the workspace.
extern "C" __global__ __aicore__ void matmul_forms_async_tensor(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        Tensors(mm, store, tiling, part);
    });
}

// Asynchronous results in global memory.
extern "C" __global__ __aicore__ void matmul_forms_async_global(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<Float>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        static_cast<void>(pipe);
        Global(mm, tiling, part);
    });
}

// Some rows asynchronously, the others not, with one object.
extern "C" __global__ __aicore__ void matmul_forms_mixed(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        const int32_t upper = tiling.baseM;
        Loop<false>(mm, store, tiling, {a, b, c, room, 0, upper});
        Loop<true>(mm, store, tiling, {a, b, c, room, upper, part.rows - upper});
    });
}

// Results in two places at once.
extern "C" __global__ __aicore__ void matmul_forms_both(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<Float>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        Both(mm, store, tiling, part);
    });
}

// The same asynchronously.
extern "C" __global__ __aicore__ void matmul_forms_async_both(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<Float>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        CountedBoth(mm, store, tiling, part);
    });
}

// All blocks to the unified buffer.
extern "C" __global__ __aicore__ void matmul_forms_all_local(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.M, tiling.N);
        Whole(mm, store, tiling, part);
    });
}

// All blocks to global memory, awaited later.
extern "C" __global__ __aicore__ void matmul_forms_all_async(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<Float>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        static_cast<void>(pipe);
        Operands(mm, tiling, part);
        mm.template IterateAll<false>(At<float>(c, 0), 0, false, true);
        mm.WaitIterateAll();
    });
}

// Partial sums in L0C.
extern "C" __global__ __aicore__ void matmul_forms_sums(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<Float>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        static_cast<void>(pipe);
        Sums(mm, tiling, part);
    });
}

namespace matmul_forms {

constexpr MatmulConfig n_batch = [] {
    MatmulConfig config = GetNormalConfig();
    config.isNBatch = true;
    return config;
}();

/// Two rounds of two batches of A and one of B.
template <bool sync>
__aicore__ inline void Rounds(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, const TCubeTiling& t) {
    TPipe pipe;
    Matmul<Batch<LayoutMode::NORMAL>, Batch<LayoutMode::NORMAL>, BatchC<LayoutMode::NORMAL>, Float, n_batch>
        mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &t);
    if (GetBlockIdx() == 0) {
        GlobalTensor<float> results = At<float>(sync ? c : room, 0);
        mm.SetWorkspace(results);
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        mm.template IterateNBatch<sync>(2, 2, 1, false);
        Store store(pipe, t, 2 * t.M, t.N);
        for (int32_t round = 0; !sync && round < 2; ++round) {
            LocalTensor<float> block = store.Room();
            if (round == 0) {
                const GlobalTensor<float> from = mm.template GetBatchTensorC<false>(2, 1);
                DataCopy(block, from, static_cast<uint32_t>(2 * t.M * t.N));
                block = store.Arrived(block);
            } else {
                mm.template GetBatchTensorC<false>(block, 2, 1);
            }
            store.Out(block, c, 2 * t.M * round, 0, 2 * t.M, t.N);
        }
    }
    mm.End();
}

}  // namespace matmul_forms

extern "C" __global__ __aicore__ void matmul_forms_rounds(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Rounds<true>(a, b, c, room, tiling);
}

extern "C" __global__ __aicore__ void matmul_forms_async_rounds(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Rounds<false>(a, b, c, room, tiling);
}

// The batch axis inside and outside: a round for each of the outer ones.
extern "C" __global__ __aicore__ void matmul_forms_inner_rounds(GM_ADDR a,
                                                                GM_ADDR b,
                                                                GM_ADDR c,
                                                                TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    TPipe pipe;
    Matmul<Batch<LayoutMode::BSNGD>, Batch<LayoutMode::BSNGD>, BatchC<LayoutMode::BSNGD>, Float, n_batch> mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        GlobalTensor<float> results = At<float>(c, 0);
        mm.SetWorkspace(results);
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        mm.IterateNBatch(2, 2, 1, false);
    }
    mm.End();
}

// Four batches to the unified buffer.
extern "C" __global__ __aicore__ void matmul_forms_batch_local(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    static_cast<void>(room);
    TPipe pipe;
    Matmul<Batch<LayoutMode::NORMAL>,
           Batch<LayoutMode::NORMAL>,
           MatmulType<TPosition::VECIN, CubeFormat::ND, float, false, LayoutMode::NORMAL>,
           Float>
        mm;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), mm, &tiling);
    if (GetBlockIdx() == 0) {
        mm.SetTensorA(At<half>(a, 0));
        mm.SetTensorB(At<half>(b, 0));
        Store store(pipe, tiling, 4 * tiling.M, tiling.N);
        LocalTensor<float> block = store.Room();
        mm.IterateBatch(block, 4, 2, false);
        store.Out(block, c, 0, 0, 4 * tiling.M, tiling.N);
    }
    mm.End();
}

// Results as blocks, one by one.
extern "C" __global__ __aicore__ void matmul_forms_blocks_local(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InBlocks>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        EachLocal<true>(mm, store, tiling, part);
    });
}

// All of a call at once.
extern "C" __global__ __aicore__ void matmul_forms_blocks_all(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InBlocks>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.N);
        WholeLocal<true>(mm, store, tiling, part);
    });
}

// In two places at once.
extern "C" __global__ __aicore__ void matmul_forms_blocks_both(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InBlocks>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        BothInBlocks(mm, store, tiling, part);
    });
}

// Rows of whole 32 bytes, block by block.
extern "C" __global__ __aicore__ void matmul_forms_aligned_local(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<WholeRows>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        EachLocal<false>(mm, store, tiling, part);
    });
}

// All of a call at once.
extern "C" __global__ __aicore__ void matmul_forms_aligned_all(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<WholeRows>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.N);
        WholeLocal<false>(mm, store, tiling, part);
    });
}

// In the order of the configuration.
extern "C" __global__ __aicore__ void matmul_forms_along_n(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<InUb, along_n>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        Store store(pipe, tiling, tiling.baseM, tiling.baseN);
        AlongN(mm, store, tiling, part);
    });
}

// Batches from the unified buffer.
extern "C" __global__ __aicore__ void matmul_forms_batch_of_local(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<BatchC<LayoutMode::NORMAL>,
          CFG_NORM,
          MatmulType<TPosition::VECOUT, CubeFormat::ND, half, false, LayoutMode::NORMAL>,
          Batch<LayoutMode::NORMAL>>(a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
        BatchOfLocal(mm, pipe, tiling, part);
    });
}

// Batches with a bias each.
extern "C" __global__ __aicore__ void matmul_forms_batch_bias(
    GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR room, TCubeTiling tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    Alone<BatchC<LayoutMode::NORMAL>,
          CFG_NORM,
          Batch<LayoutMode::NORMAL>,
          Batch<LayoutMode::NORMAL>,
          MatmulType<TPosition::VECOUT, CubeFormat::ND, float>>(
        a, b, c, room, tiling, [&](auto& mm, TPipe& pipe, const Part& part) {
            BatchWithBias(mm, pipe, tiling, part);
        });
}
#endif
