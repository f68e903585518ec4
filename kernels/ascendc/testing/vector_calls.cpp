// SPDX-License-Identifier: Apache-2.0
// Calls every family of the vector API once in each of its forms, and stores each result in a row of 64
// floats.
#include "kernel_operator.h"

using namespace AscendC;

BEGIN_TILING_DATA_DEF(CallsTiling)
TILING_DATA_FIELD_DEF(uint32_t, count);
TILING_DATA_FIELD_DEF_ARR(float, 2, factors);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(VectorCalls, CallsTiling);

namespace {

constexpr uint32_t row = 64;

class VectorCalls {
public:
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR out, const CallsTiling& tiling) {
        count_ = tiling.count;
        factor_ = tiling.factors[1];
        x_gm_.SetGlobalBuffer((__gm__ float*)x, row);
        y_gm_.SetGlobalBuffer((__gm__ float*)y, row);
        out_gm_.SetGlobalBuffer((__gm__ float*)out);
        pipe_.InitBuffer(in_, 2, 2 * row * sizeof(float));
        pipe_.InitBuffer(out_, 1, row * sizeof(float));
        pipe_.InitBuffer(scratch_, 8192);
    }

    __aicore__ inline void Process() {
        LocalTensor<float> both = in_.AllocTensor<float>();
        DataCopyPad(both,
                    x_gm_,
                    DataCopyExtParams{1, count_ * 4, 0, 0, 0},
                    DataCopyPadExtParams<float>{true, 0, 0, 0.0f});
        DataCopy(both[row], y_gm_, {1, 8, 0, 0});
        in_.EnQue(both);
        both = in_.DeQue<float>();
        x_ = both;
        y_ = both[row];
        Elementwise();
        MaskForms();
        Casts();
        Choices();
        Reductions();
        Rearranging();
        Composed();
        in_.FreeTensor(both);
    }

private:
    template <class Function>
    __aicore__ inline void Row(Function fill) {
        LocalTensor<float> z = out_.AllocTensor<float>();
        Duplicate(z, 0.0f, row);
        PipeBarrier<PIPE_V>();
        fill(z);
        out_.EnQue(z);
        z = out_.DeQue<float>();
        DataCopy(out_gm_[rows_++ * row], z, row);
        out_.FreeTensor(z);
    }

    __aicore__ inline void Elementwise() {
        Row([&](LocalTensor<float>& z) { Add(z, x_, y_, row); });
        Row([&](LocalTensor<float>& z) { Sub(z, x_, y_, static_cast<int32_t>(count_)); });
        Row([&](LocalTensor<float>& z) {
            Mul(z, x_, y_, row);
            Muls(z, z, factor_, row);
        });
        Row([&](LocalTensor<float>& z) { Div(z, x_, y_, row); });
        Row([&](LocalTensor<float>& z) {
            Exp(z, x_, row);
            Ln(z, z, row);
        });
        Row([&](LocalTensor<float>& z) { Axpy(z, x_, 2.0f, row); });
    }

    __aicore__ inline void MaskForms() {
        uint64_t even[2] = {0x5555555555555555ULL, 0};
        Row([&](LocalTensor<float>& z) { Max(z, x_, y_, 10, 1, {1, 1, 1, 8, 8, 8}); });
        Row([&](LocalTensor<float>& z) { Min(z, x_, y_, even, 1, BinaryRepeatParams{1, 1, 1, 8, 8, 8}); });
        Row([&](LocalTensor<float>& z) {
            SetMaskCount();
            SetVectorMask<float, MaskMode::COUNTER>(20);
            Adds<float, false>(z, x_, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
            SetMaskNorm();
            ResetMask();
        });
    }

    __aicore__ inline void Casts() {
        Row([&](LocalTensor<float>& z) {
            LocalTensor<int32_t> whole = scratch_.Get<int32_t>();
            LocalTensor<half> narrow = scratch_.GetWithOffset<half>(row, 4096);
            Cast(whole, x_, RoundMode::CAST_RINT, row);
            Cast(z, whole, RoundMode::CAST_NONE, row);
            Cast(narrow, z, RoundMode::CAST_NONE, row);
            Cast(z, narrow, RoundMode::CAST_NONE, row);
        });
    }

    __aicore__ inline void Choices() {
        LocalTensor<uint8_t> bits = scratch_.Get<uint8_t>();
        Row([&](LocalTensor<float>& z) {
            Compare(bits, x_, y_, CMPMODE::GT, row);
            Select(z, bits, x_, y_, SELMODE::VSEL_TENSOR_TENSOR_MODE, row);
        });
        Row([&](LocalTensor<float>& z) {
            CompareScalar(bits, x_, 5.0f, CMPMODE::LT, row);
            Select(z, bits, x_, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, row);
        });
    }

    __aicore__ inline void Reductions() {
        LocalTensor<float> work = scratch_.Get<float>();
        Row([&](LocalTensor<float>& z) { ReduceSum(z, x_, work, row); });
        Row([&](LocalTensor<float>& z) { ReduceMax(z, x_, work, row, true); });
        Row([&](LocalTensor<float>& z) {
            WholeReduceMin(z, x_, 64, 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        });
        Row([&](LocalTensor<float>& z) { BlockReduceSum(z, x_, 1, 64, 1, 1, 8); });
        Row([&](LocalTensor<float>& z) {
            ReduceSum(work, x_, work[1024], row);
            const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(id);
            WaitFlag<HardEvent::V_S>(id);
            Duplicate(z, work.GetValue(0), row);
        });
        Row([&](LocalTensor<float>& z) {  // of four repeats
            Duplicate(work, 0.5F, 4 * row);
            PipeBarrier<PIPE_V>();
            ReduceSum(work[512], work, work[1024], 4 * row);
            const int32_t id = static_cast<int32_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
            SetFlag<HardEvent::V_S>(id);
            WaitFlag<HardEvent::V_S>(id);
            Duplicate(z, GetReduceRepeatSumSpr<float>(), row);
        });
    }

    __aicore__ inline void Rearranging() {
        LocalTensor<uint32_t> offsets = scratch_.Get<uint32_t>();
        Row([&](LocalTensor<float>& z) {
            ArithProgression(offsets.ReinterpretCast<int32_t>(), 63 * 4, -4, row);
            Gather(z, x_, offsets, 0, row);
        });
        Row([&](LocalTensor<float>& z) { Brcb(z, x_, 1, {1, 8}); });
        Row([&](LocalTensor<float>& z) {
            uint64_t kept = 0;
            GatherMask(z, x_, 1, false, 0, {1, 1, 8, 8}, kept);
        });
        Row([&](LocalTensor<float>& z) { Copy(z, x_, 64, 1, {1, 1, 8, 8}); });
        Row([&](LocalTensor<float>& z) { DataCopy(z, y_, row); });
        Row([&](LocalTensor<float>& z) {
            LocalTensor<float> sorted = scratch_.Get<float>();
            LocalTensor<uint32_t> index = scratch_.GetWithOffset<uint32_t>(row, 4096);
            LocalTensor<float> other = scratch_.GetWithOffset<float>(2 * row, 5120);
            CreateVecIndex(index.ReinterpretCast<int32_t>(), 0, row);
            Sort<float, true>(sorted, x_, index, other, 2);
            Extract(z, index, sorted, 2);
        });
        Row([&](LocalTensor<float>& z) {  // up to a block, at any place
            ArithProgression(z[3], 1.0f, 0.5f, 4);
            CreateVecIndex(z[61], 7.0f, 3);
        });
    }

    __aicore__ inline void Composed() {
        Row([&](LocalTensor<float>& z) { Sigmoid(z, x_, row); });
        Row([&](LocalTensor<float>& z) { Silu(z, x_, row); });
        Row([&](LocalTensor<float>& z) { Floor(z, x_, row); });
        Row([&](LocalTensor<float>& z) {
            Log2(z, y_, row);
            pipe_barrier(PIPE_V);
        });
        Row([&](LocalTensor<float>& z) {
            AscendCUtils::SetMask<float>(16);
            Abs<float, false>(z, x_, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
            AscendCUtils::ResetMask();
        });
        // An atomic sum of two writes to one row, after the row was cleared through free space.
        GlobalTensor<float> target = out_gm_[rows_ * row];
        InitGlobalMemory(target, row, 1.0f);
        SetAtomicAdd<float>();
        for (int32_t i = 0; i < 2; ++i) {
            Row([&](LocalTensor<float>& z) { Copy(z, y_, 64, 1, {1, 1, 8, 8}); });
            --rows_;
        }
        SetAtomicNone();
        ++rows_;
    }

    TPipe pipe_;
    TQue<TPosition::VECIN, 1> in_;
    TQue<TPosition::VECOUT, 1> out_;
    TBuf<TPosition::VECCALC> scratch_;
    GlobalTensor<float> x_gm_, y_gm_, out_gm_;
    LocalTensor<float> x_, y_;
    uint32_t count_ = 0;
    uint32_t rows_ = 0;
    float factor_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void vector_calls(
    GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling) {
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    REGISTER_TILING_DEFAULT(CallsTiling);
    GET_TILING_DATA(data, tiling);
    if (GetUserWorkspace(workspace) == nullptr) {
        return;
    }
    if (TILING_KEY_IS(7)) {
        VectorCalls calls;
        calls.Init(x, y, out, data);
        calls.Process();
    }
}
