// SPDX-License-Identifier: Apache-2.0
// Calls one function of the high-level API that moves, chooses or quantises elements. Operands lie in slots
// of 8 KiB; the cases are numbered as in adv_shapes_test.cpp.
#include "kernel_operator.h"

using namespace AscendC;

struct ShapesArguments {
    uint32_t which;
    uint32_t m;
    uint32_t n;
    uint32_t k;
};

namespace {

constexpr CumSumConfig down_the_rows{false, false, true};

class ShapeCalls {
public:
    static constexpr uint32_t slot = 8192;

    __aicore__ inline void Run(GM_ADDR in, GM_ADDR out, const ShapesArguments& a) {
        pipe_.InitBuffer(in_, 1, 5 * slot);
        pipe_.InitBuffer(out_, 1, 3 * slot);
        pipe_.InitBuffer(tmp_, 40 * 1024);
        GlobalTensor<int16_t> gm;
        gm.SetGlobalBuffer((__gm__ int16_t*)in);
        x_ = in_.AllocTensor<int16_t>();
        DataCopy(x_, gm, 5 * slot / 2);
        in_.EnQue(x_);
        x_ = in_.DeQue<int16_t>();
        y_ = out_.AllocTensor<int16_t>();
        Duplicate(y_, static_cast<int16_t>(0), 3 * slot / 2);
        PipeBarrier<PIPE_V>();
        if (a.which < 100) {
            Floats<float>(a);
        } else if (a.which < 200) {
            Floats<half>({a.which - 100, a.m, a.n, a.k});
        } else {
            Integers(a);
        }
        in_.FreeTensor(x_);
        out_.EnQue(y_);
        y_ = out_.DeQue<int16_t>();
        gm.SetGlobalBuffer((__gm__ int16_t*)out);
        DataCopy(gm, y_, 3 * slot / 2);
        out_.FreeTensor(y_);
    }

private:
    template <typename T>
    __aicore__ inline LocalTensor<T> X(uint32_t i) {
        return x_[i * slot / 2].ReinterpretCast<T>();
    }

    template <typename T>
    __aicore__ inline LocalTensor<T> Y(uint32_t i) {
        return y_[i * slot / 2].ReinterpretCast<T>();
    }

    __aicore__ inline LocalTensor<uint8_t> Tmp() { return tmp_.Get<uint8_t>(); }

    template <typename T>
    __aicore__ inline void Floats(const ShapesArguments& a) {
        const uint32_t matrix[2]{a.m, a.n};
        const uint32_t column[2]{a.m, 1};
        const uint32_t row[2]{1, a.n};
        const uint32_t vector[1]{a.n};
        const uint32_t one[1]{1};
        switch (a.which) {
            case 0:
                return Broadcast<T, 2, 1>(Y<T>(0), X<T>(0), matrix, column, Tmp());
            case 1:
                return BroadCast<T, 2, 0>(Y<T>(0), X<T>(0), matrix, row);
            case 2:
                return Broadcast<T, 1, 0>(Y<T>(0), X<T>(0), vector, one);
            case 3: {
                PadTiling tiling;
                tiling.srcHeight = a.m;
                tiling.srcWidth = tiling.srcOriWidth = a.n;
                const PadParams pad{static_cast<uint16_t>(a.k), 2, 7};
                return Pad(Y<T>(0), X<T>(0), pad, tiling);
            }
            case 4: {
                UnPadTiling tiling;
                tiling.srcHeight = a.m;
                tiling.srcWidth = a.n;
                return UnPad(Y<T>(0), X<T>(0), UnPadParams{0, static_cast<uint16_t>(a.k)}, Tmp(), tiling);
            }
            case 5: {
                ConfusionTransposeTiling tiling;
                tiling.param2 = a.m;
                tiling.param1 = a.n;
                return ConfusionTranspose(Y<T>(0), X<T>(0), TransposeType::TRANSPOSE_ND2ND_ONLY, tiling);
            }
            case 6:
                return CumSum<T>(Y<T>(0), Y<T>(1), X<T>(0), Tmp(), {a.m, a.n});
            case 7:
                return CumSum<T, down_the_rows>(Y<T>(0), Y<T>(1), X<T>(0), {a.m, a.n});
            default:
                return Choices<T>(a);
        }
    }

    template <typename T>
    __aicore__ inline void Choices(const ShapesArguments& a) {
        const TopKInfo top{
            static_cast<int32_t>(a.m), static_cast<int32_t>(a.n), static_cast<int32_t>(a.n) - 3};
        const auto k = static_cast<int32_t>(a.k);
        const auto order = X<int32_t>(1);
        const auto finish = X<bool>(2);
        const auto index = Y<int32_t>(1);
        const uint32_t mask_width = (a.n + 31) / 32 * 32;
        const SelectWithBytesMaskShapeInfo bytes{a.m, a.n, mask_width};
        DropOutShapeInfo drop;
        drop.firstAxis = a.m;
        drop.srcLastAxis = a.n;
        drop.maskLastAxis = a.which == 14 ? a.n / 8 : mask_width;
        constexpr TopKMode small = TopKMode::TOPK_NSMALL;
        switch (a.which) {
            case 8:
                return TopK<T>(Y<T>(0), index, X<T>(0), order, finish, k, {}, top);
            case 9:
                return TopK<T, true, true>(Y<T>(0), index, X<T>(0), order, finish, Tmp(), k, {}, top, false);
            case 10:
                return TopK<T, false, false, false, small>(
                    Y<T>(0), index, X<T>(0), order, finish, k, {}, top);
            case 11:
                return Select(Y<T>(0), X<T>(0), T(9.0f), X<uint8_t>(2), Tmp(), bytes);
            case 12:
                return Select(Y<T>(0), T(9.0f), X<T>(0), X<uint8_t>(2), Tmp(), bytes);
            case 13:
                return DropOut<T>(Y<T>(0), X<T>(0), X<uint8_t>(2), 0.5f, drop);
            case 14:
                return DropOut<T, false, 3>(Y<T>(0), X<T>(0), X<uint8_t>(2), Tmp(), 0.5f, drop);
            case 15:
                return AscendQuant(Y<int8_t>(0), X<T>(0), Tmp(), 20.0f, 3.0f, a.m * a.n);
            case 16:
                return AscendQuant(Y<int8_t>(0), X<T>(0), X<T>(3), X<T>(4), a.n, a.n, a.m * a.n);
            case 17:
                return Axpy(Y<float>(0), X<T>(0), T(2.5f), Tmp(), a.m * a.n);
            default:
                return;
        }
    }

    __aicore__ inline void Integers(const ShapesArguments& a) {
        using AR = Pattern::Reduce::AR;
        using RA = Pattern::Reduce::RA;
        const uint32_t shape[2]{a.m, a.n};
        const uint32_t column[2]{a.m, 1};
        const DequantParams rows{a.m, a.n, a.k};
        auto bytes = X<int8_t>(0);
        auto nibbles = X<int4b_t>(0);
        bytes.SetSize(a.m * a.n);
        nibbles.SetSize(a.m * a.n);
        switch (a.which) {
            case 200:
                return Broadcast<uint8_t, 2, 1>(Y<uint8_t>(0), X<uint8_t>(0), shape, column, Tmp());
            case 201:
                return AscendDequant(Y<float>(0), X<int32_t>(0), X<float>(3), Tmp(), rows);
            case 202:
                return AscendDequant(Y<half>(0), X<int32_t>(0), X<uint64_t>(3), rows);
            case 203:
                return AscendDequant(Y<bfloat16_t>(0), X<int32_t>(0), 0.25f, rows);
            case 215: {
                const auto in_place = X<int32_t>(0);
                AscendDequant(in_place.template ReinterpretCast<float>(), in_place, X<float>(3), Tmp(), rows);
                PipeBarrier<PIPE_V>();
                return DataCopy(Y<float>(0), in_place.template ReinterpretCast<float>(), a.m * a.n);
            }
            case 216:  // room for the scales and five rows of 32
                return AscendDequant(
                    Y<bfloat16_t>(0), X<int32_t>(0), X<bfloat16_t>(3), tmp_.Get<uint8_t>(6 * 128), rows);
            case 217:  // room for 64 columns of a row
                return AscendDequant(Y<half>(0), X<int32_t>(0), X<float>(3), tmp_.Get<uint8_t>(256), rows);
            case 204:
                return AscendAntiQuant<int8_t, half, false>(
                    Y<half>(0), bytes, X<half>(3), X<half>(4), Tmp(), a.m);
            case 205:
                return AscendAntiQuant<int4b_t, bfloat16_t, true>(
                    Y<bfloat16_t>(0), nibbles, X<bfloat16_t>(3), a.n);
            case 218:
                return AscendAntiQuant<int8_t, half, true>(
                    Y<half>(0), bytes, X<half>(3), X<half>(4), Tmp(), a.n);
            case 206:
                return AscendAntiQuant<int8_t, half, false>(Y<half>(0), bytes, half(2.0f), half(0.5f), a.m);
            case 207:
                return Xor(Y<int16_t>(0), X<int16_t>(0), X<int16_t>(1), Tmp(), a.m * a.n);
            case 208:
                return ReduceXorSum(Y<int16_t>(0), X<int16_t>(0), X<int16_t>(1), a.m * a.n);
            case 209:
                return ReduceAny<uint8_t, AR>(Y<uint8_t>(0), X<uint8_t>(2), Tmp(), shape, true);
            case 210:
                return ReduceAll<uint8_t, AR>(Y<uint8_t>(0), X<uint8_t>(2), Tmp(), shape, true);
            case 211:
                return ReduceAny<uint8_t, RA>(Y<uint8_t>(0), X<uint8_t>(2), shape, true);
            case 212:
                return ReduceAll<uint8_t, RA>(Y<uint8_t>(0), X<uint8_t>(2), shape, true);
            case 213:
                return Power(Y<int32_t>(0), X<int32_t>(0), X<int32_t>(1), Tmp(), a.m);
            case 214:
                return Power(Y<int32_t>(0), X<int32_t>(0), static_cast<int32_t>(a.n), a.m);
            default:
                return;
        }
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> tmp_;
    LocalTensor<int16_t> x_, y_;
};

}  // namespace

extern "C" __global__ __aicore__ void adv_shapes(GM_ADDR in, GM_ADDR out, ShapesArguments arguments) {
    ShapeCalls().Run(in, out, arguments);
}
