// SPDX-License-Identifier: Apache-2.0
// Whole tensors in expressions, functions as template arguments, and names beneath the documented calls. Each
// result goes to a row of 64 floats.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

constexpr uint32_t row = 64;

template <typename T>
using Function = void(const LocalTensor<T>&, const LocalTensor<T>&, const uint32_t);

template <typename T, Function<T>* function>
__aicore__ inline void Compute(const LocalTensor<T>& dst, const LocalTensor<T>& src) {
    function(dst, src, row);
}

template <typename T, typename Mask>
using MaskedFunction = void(const LocalTensor<T>&,
                            const LocalTensor<T>&,
                            const LocalTensor<T>&,
                            Mask,
                            const uint8_t,
                            const BinaryRepeatParams&);

template <typename T, typename Mask, MaskedFunction<T, Mask>* function>
__aicore__ inline void ComputeSome(const LocalTensor<T>& dst,
                                   const LocalTensor<T>& src0,
                                   const LocalTensor<T>& src1,
                                   Mask mask) {
    function(dst, src0, src1, mask, 1, {1, 1, 1, 8, 8, 8});
}

class ExpressionCalls {
public:
    __aicore__ inline void Run(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
        pipe_.InitBuffer(all_, 8192);  // where the tensors below lie; functions take their space behind it
        GlobalTensor<float> gm;
        gm.SetGlobalBuffer((__gm__ float*)x);
        DataCopy(x_, gm, row);
        gm.SetGlobalBuffer((__gm__ float*)y);
        DataCopy(y_, gm, row);
        out_.SetGlobalBuffer((__gm__ float*)out);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Expressions();
        Functions();
        Beneath();
    }

private:
    template <class Fill>
    __aicore__ inline void Row(Fill fill) {
        fill();
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(out_[rows_++ * row], z_, row);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }

    __aicore__ inline void Expressions() {
        Row([&] { z_ = x_ + y_; });
        Row([&] {
            z_ = x_ * y_;
            PipeBarrier<PIPE_V>();
            z_ = z_ - x_;
            PipeBarrier<PIPE_V>();
            z_ = z_ / y_;
        });
        Row([&] {
            auto whole = z_.ReinterpretCast<int16_t>();
            whole = x_.ReinterpretCast<int16_t>() & y_.ReinterpretCast<int16_t>();
            PipeBarrier<PIPE_V>();
            whole = whole | x_.ReinterpretCast<int16_t>();
        });
        Row([&] {
            bits_ = x_ > y_;
            PipeBarrier<PIPE_V>();
            Select(z_, bits_, x_, y_, SELMODE::VSEL_TENSOR_TENSOR_MODE, row);
        });
        Row([&] {
            bits_ = x_ == y_;
            PipeBarrier<PIPE_V>();
            Select(z_, bits_, x_, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, row);
        });
    }

    __aicore__ inline void Functions() {
        static constexpr DivConfig exact = {DivAlgo::PRECISION_0ULP_FTZ_FALSE};
        Row([&] { Compute<float, Sin<float, false>>(z_, x_); });
        Row([&] { Compute<float, Erf<float>>(z_, x_); });
        Row([&] { Div<float, exact>(z_, x_, y_, row); });
        Row([&] {
            Copy(z_, x_, row);
            PipeBarrier<PIPE_V>();
            Copy(z_, y_, 5);
        });
        Row([&] {
            uint64_t from_16[2] = {~uint64_t{0xffff}, 0};
            ComputeSome<float, uint64_t, Add>(z_, x_, y_, 10);
            PipeBarrier<PIPE_V>();
            ComputeSome<float, uint64_t*, Mul>(z_, x_, y_, from_16);
        });
    }

    __aicore__ inline void Beneath() {
        auto* x = reinterpret_cast<__ubuf__ float*>(x_.GetPhyAddr());
        auto* z = reinterpret_cast<__ubuf__ float*>(z_.GetPhyAddr());
        Row([&] {
            AddsImpl(z, x, 2.0f, row);
            PipeBarrier<PIPE_V>();
            MulImpl(z, z, x, row);
        });
        Row([&] {
            SetMaskNorm();
            SetVectorMask<float>(0, 0xff);
            DuplicateIntrinsicsImpl(z, 3.0f, 1, 1, 8);
            ResetMask();
        });
        Row([&] {  // the matrix of 16 rows of 16 halves, and its transpose, as a whole
            auto* from = reinterpret_cast<__ubuf__ half*>(table_.GetPhyAddr());
            auto* to = reinterpret_cast<__ubuf__ half*>(turned_.GetPhyAddr());
            CastImpl(from, x, RoundMode::CAST_NONE, row);  // the first four rows
            PipeBarrier<PIPE_V>();
            Duplicate(table_[row], half(0.0f), 256 - row);
            PipeBarrier<PIPE_V>();
            __ubuf__ half* dst[16];
            __ubuf__ half* src[16];
            for (int32_t i = 0; i < 16; ++i) {
                dst[i] = to + 16 * i;
                src[i] = from + 16 * i;
            }
            TransDataTo5HDImpl(dst, src, TransDataTo5HDParams(false, false, 1, 0, 0));
            PipeBarrier<PIPE_V>();
            Cast(z_, turned_, RoundMode::CAST_NONE, row);
        });
    }

    TPipe pipe_;
    TBuf<TPosition::VECCALC> all_;
    LocalTensor<float> x_{TPosition::VECCALC, 0, row};
    LocalTensor<float> y_{TPosition::VECCALC, 256, row};
    LocalTensor<float> z_{TPosition::VECCALC, 512, row};
    LocalTensor<uint8_t> bits_{TPosition::VECCALC, 1024, 32};
    LocalTensor<half> table_{TPosition::VECCALC, 2048, 256};
    LocalTensor<half> turned_{TPosition::VECCALC, 4096, 256};
    GlobalTensor<float> out_;
    uint32_t rows_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void expression_calls(GM_ADDR x, GM_ADDR y, GM_ADDR out) {
    ExpressionCalls calls;
    calls.Run(x, y, out);
}
