// SPDX-License-Identifier: Apache-2.0
// LeakyReLU(A x B + bias) with the high-level Matmul object driven by vector cores: the cube core of a group
// multiplies what its vector cores ask for, and they work on the results. Chained: a second object multiplies
// the result by W.
#ifdef ASCENDSIM_HOST
#include "kernels/ops/matmul/matmul/matmul_leaky_relu_host.hpp"

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const matmul_leaky_relu::MatmulLeakyReluHost host;
    return &host;
}
#else
#include "kernel_operator.h"
#include "kernels/ops/matmul/matmul/matmul_leaky_relu_tiling.hpp"
#include "lib/matmul_intf.h"

namespace matmul_leaky_relu {

using namespace AscendC;

using Half = MatmulType<TPosition::GM, CubeFormat::ND, half>;
using Bias = MatmulType<TPosition::GM, CubeFormat::ND, float>;

/// The rows and columns of C that this vector core computes.
struct Share {
    int32_t m = 0;
    int32_t n = 0;
    int32_t rows = 0;
    int32_t columns = 0;

    __aicore__ inline explicit Share(const TCubeTiling& t) {
        const int32_t high = (t.M + t.singleCoreM - 1) / t.singleCoreM;
        const int32_t block = static_cast<int32_t>(GetBlockIdx());
        m = block % high * t.singleCoreM;
        n = block / high * t.singleCoreN;
        rows = t.M - m < t.singleCoreM ? t.M - m : t.singleCoreM;
        columns = n >= t.N ? 0 : t.N - n < t.singleCoreN ? t.N - n : t.singleCoreN;
    }
};

/// Blocks of the product as they arrive in the unified buffer, through LeakyReLU, to `Out` in global memory.
template <typename Out>
class Epilogue {
public:
    __aicore__ inline void Init(TPipe& pipe, const TCubeTiling& t, float slope, __gm__ uint8_t* to) {
        const uint32_t elements = static_cast<uint32_t>(t.baseM * t.baseN);
        pipe.InitBuffer(in_, 2, elements * sizeof(float));
        pipe.InitBuffer(out_, 2, elements * sizeof(Out));
        to_.SetGlobalBuffer(reinterpret_cast<__gm__ Out*>(to));
        slope_ = slope;
        pitch_ = t.N;
    }

    template <bool sync, class Product>
    __aicore__ inline void Block(Product& product, int32_t m, int32_t n, int32_t rows, int32_t columns) {
        LocalTensor<float> in = in_.AllocTensor<float>();
        product.template GetTensorC<sync>(in, 0, true);
        in_.EnQue(in);
        in = in_.DeQue<float>();
        const int32_t wide = (columns + 7) / 8 * 8;  // rows arrive padded to 32 bytes
        LocalTensor<Out> out = out_.AllocTensor<Out>();
        LeakyRelu(in, in, slope_, rows * wide);
        PipeBarrier<PIPE_V>();
        if constexpr (std::is_same_v<Out, float>) {
            Muls(out, in, 1.0F, rows * wide);
        } else {
            Cast(out, in, RoundMode::CAST_RINT, static_cast<uint32_t>(rows * wide));
        }
        in_.FreeTensor(in);
        out_.EnQue(out);
        out = out_.DeQue<Out>();
        CopyOut(out, m, n, rows, columns, wide);
        out_.FreeTensor(out);
    }

private:
    __aicore__ inline void CopyOut(
        const LocalTensor<Out>& out, int32_t m, int32_t n, int32_t rows, int32_t columns, int32_t wide) {
        constexpr int32_t block = 32 / sizeof(Out);
        // DataCopyPad steps over whole blocks behind a row; half rows may end in the middle of one.
        if (wide % block == 0) {
            const uint32_t gap = static_cast<uint32_t>(wide / block - (columns + block - 1) / block);
            DataCopyPad(to_[static_cast<uint64_t>(m) * pitch_ + n],
                        out,
                        DataCopyExtParams(static_cast<uint16_t>(rows),
                                          static_cast<uint32_t>(columns * sizeof(Out)),
                                          gap,
                                          static_cast<uint32_t>((pitch_ - columns) * sizeof(Out)),
                                          0));
        }
    }

    TQue<TPosition::VECIN, 2> in_;
    TQue<TPosition::VECOUT, 2> out_;
    GlobalTensor<Out> to_;
    float slope_ = 0;
    int32_t pitch_ = 0;
};

template <typename Out, bool sync, class Product>
__aicore__ inline void Fused(Product& product,
                             TPipe& pipe,
                             const TCubeTiling& t,
                             float slope,
                             GM_ADDR a,
                             GM_ADDR b,
                             GM_ADDR bias,
                             GM_ADDR to,
                             GM_ADDR room) {
    const Share share(t);
    if (share.columns <= 0) {
        return;
    }
    Epilogue<Out> epilogue;
    epilogue.Init(pipe, t, slope, to);
    GlobalTensor<half> left;
    GlobalTensor<half> right;
    GlobalTensor<float> row;
    GlobalTensor<float> blocks;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a) + static_cast<uint64_t>(share.m) * t.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b) + share.n);
    row.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(bias) + share.n);
    product.SetTail(share.rows, share.columns);
    product.SetTensorA(left);
    product.SetTensorB(right);
    product.SetBias(row);
    const int32_t high = (share.rows + t.baseM - 1) / t.baseM;
    const int32_t count = high * ((share.columns + t.baseN - 1) / t.baseN);
    if constexpr (!sync) {
        const uint64_t own = static_cast<uint64_t>(t.baseM * t.baseN) * count;
        blocks.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(room) + GetBlockIdx() * own);
        product.SetWorkspace(blocks);
        product.template Iterate<false>();
    }
    for (int32_t i = 0; sync ? product.template Iterate<sync>() : i < count; ++i) {
        const int32_t m = i % high * t.baseM;
        const int32_t n = i / high * t.baseN;
        epilogue.template Block<sync>(product,
                                      share.m + m,
                                      share.n + n,
                                      share.rows - m < t.baseM ? share.rows - m : t.baseM,
                                      share.columns - n < t.baseN ? share.columns - n : t.baseN);
    }
    product.End();
}

}  // namespace matmul_leaky_relu

using matmul_leaky_relu::Bias;
using matmul_leaky_relu::Half;
using InUb = AscendC::MatmulType<AscendC::TPosition::VECIN, CubeFormat::ND, float>;

extern "C" __global__ __aicore__ void matmul_leaky_relu_sync(GM_ADDR a,
                                                             GM_ADDR b,
                                                             GM_ADDR bias,
                                                             GM_ADDR w,
                                                             GM_ADDR c,
                                                             GM_ADDR room,
                                                             matmul_leaky_relu::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::TPipe pipe;
    AscendC::Matmul<Half, Half, InUb, Bias> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &options.first);
    matmul_leaky_relu::Fused<float, true>(product, pipe, options.first, options.slope, a, b, bias, c, room);
}

extern "C" __global__ __aicore__ void matmul_leaky_relu_async(GM_ADDR a,
                                                              GM_ADDR b,
                                                              GM_ADDR bias,
                                                              GM_ADDR w,
                                                              GM_ADDR c,
                                                              GM_ADDR room,
                                                              matmul_leaky_relu::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::TPipe pipe;
    AscendC::Matmul<Half, Half, InUb, Bias, CFG_MDL> product;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &options.first);
    matmul_leaky_relu::Fused<float, false>(product, pipe, options.first, options.slope, a, b, bias, c, room);
}

// Each vector core has whole rows, so that its second product needs only what it wrote itself.
extern "C" __global__ __aicore__ void matmul_leaky_relu_chain(GM_ADDR a,
                                                              GM_ADDR b,
                                                              GM_ADDR bias,
                                                              GM_ADDR w,
                                                              GM_ADDR c,
                                                              GM_ADDR room,
                                                              matmul_leaky_relu::Options options) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
    AscendC::TPipe pipe;
    AscendC::Matmul<Half, Half, InUb, Bias> product;
    AscendC::Matmul<Half, Half, AscendC::MatmulType<AscendC::TPosition::GM, CubeFormat::ND, float>> second;
    REGIST_MATMUL_OBJ(&pipe, GetSysWorkSpacePtr(), product, &options.first, second, &options.second);
    matmul_leaky_relu::Fused<half, true>(
        product, pipe, options.first, options.slope, a, b, bias, room, nullptr);
    const TCubeTiling& t = options.second;
    const matmul_leaky_relu::Share share(options.first);
    if (share.columns <= 0) {
        return;
    }
    AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(EVENT_ID0);
    AscendC::GlobalTensor<half> left;
    AscendC::GlobalTensor<half> right;
    AscendC::GlobalTensor<float> to;
    left.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(room) + static_cast<uint64_t>(share.m) * t.Ka);
    right.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(w));
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c) + static_cast<uint64_t>(share.m) * t.N);
    second.SetTail(share.rows, t.N);
    second.SetTensorA(left);
    second.SetTensorB(right, false);
    second.template IterateAll<false>(to, 0, false, true);
    second.WaitIterateAll();
    second.End();
}
#endif
