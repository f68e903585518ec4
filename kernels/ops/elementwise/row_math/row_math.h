// SPDX-License-Identifier: Apache-2.0
// What is computed of whole rows, besides norms and softmax: the logarithm of a softmax, cross entropy, rows
// divided by their norms, and the gradients of softmax, RMS norm and layer norm. Arithmetic is in float; sums
// over all rows (the gradients of weights, a mean loss) are added to global memory by each core once.
#pragma once

#include "kernels/shared/row_kernel.h"

enum class RowMathKind : uint32_t {
    log_softmax,       // y = x - ln(sum(exp(x)))
    cross_entropy,     // y[r] = ln(sum(exp(x))) - x[target[r]], or their mean
    l1_norm,           // y = x / sum(|x|)
    l2_norm,           // y = x / sqrt(sum(x^2))
    softmax_grad,      // y = x (z - sum(x z)), x = softmax, z = its gradient
    log_softmax_grad,  // y = z - exp(x) sum(z), x = logarithm of softmax
    rms_norm_grad,     // of y = n gamma, n = x / rms(x): z the gradient of y
    layer_norm_grad    // the same with n = (x - mean(x)) / deviation(x)
};

struct RowMathTiling {
    RowTiling row;
    RowMathKind kind;
    uint32_t mean;  // 1: of cross entropy one mean for all rows
    float scale;    // 1 / rows
};

constexpr bool RowMathTakesTwo(RowMathKind kind) {
    return kind >= RowMathKind::softmax_grad;
}

constexpr bool RowMathHasWeights(RowMathKind kind) {
    return kind >= RowMathKind::rms_norm_grad;
}

template <typename T>
class RowMath {
public:
    using Floats = AscendC::LocalTensor<float>;

    /// Operands that a kind does not have are not looked at.
    __aicore__ inline RowMath(GM_ADDR x,
                              GM_ADDR z,
                              GM_ADDR gamma,
                              GM_ADDR target,
                              GM_ADDR y,
                              GM_ADDR sums,
                              const RowMathTiling& tiling)
        : m(tiling), t(tiling.row), share(tiling.row) {
        xGm.SetGlobalBuffer((__gm__ T*)x + share.first * t.width);
        zGm.SetGlobalBuffer((__gm__ T*)z + share.first * t.width);
        gammaGm.SetGlobalBuffer((__gm__ T*)gamma);
        targetGm.SetGlobalBuffer((__gm__ int32_t*)target + share.first);
        yGm.SetGlobalBuffer((__gm__ T*)y + share.first * t.width);
        lossGm.SetGlobalBuffer((__gm__ float*)y + (tiling.mean != 0 ? 0 : share.first));
        sumsGm.SetGlobalBuffer((__gm__ float*)sums);
        const uint32_t elements = t.tile * t.pitch;
        groups = (t.tile + 7) / 8 * 8;
        pipe.InitBuffer(in, t.buffers, elements * sizeof(T) * (RowMathTakesTwo(m.kind) ? 2 : 1));
        if (m.kind == RowMathKind::cross_entropy) {
            pipe.InitBuffer(inTarget, 1, groups * sizeof(int32_t));
            pipe.InitBuffer(out, 2, groups * sizeof(float));
        } else {
            pipe.InitBuffer(out, t.buffers, elements * sizeof(T));
        }
        pipe.InitBuffer(wide, (RowMathTakesTwo(m.kind) ? 3 : 2) * elements * sizeof(float));
        pipe.InitBuffer(fold, t.tile * FoldPitch(t.pitch) * sizeof(float));
        pipe.InitBuffer(value, 4 * groups * sizeof(float));
        pipe.InitBuffer(spread, groups * 8 * sizeof(float));
        if (RowMathHasWeights(m.kind)) {
            pipe.InitBuffer(inGamma, 1, t.pitch * sizeof(T));
            pipe.InitBuffer(weights, 3 * t.pitch * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        if (share.count == 0) {
            return;
        }
        AscendC::Duplicate(value.template Get<float>(), 1.0f, 4 * groups);
        if (RowMathHasWeights(m.kind)) {
            FetchGamma();
        }
        Then();
        for (uint64_t row = 0; row < share.count; row += t.tile) {
            Tile(row, share.count - row < t.tile ? share.count - row : t.tile);
        }
        if (RowMathHasWeights(m.kind)) {
            GiveSums();
        }
    }

private:
    __aicore__ inline static void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    __aicore__ inline Floats Value(uint32_t i) { return value.template Get<float>()[i * groups]; }

    __aicore__ inline Floats Weight(uint32_t i) { return weights.template Get<float>()[i * t.pitch]; }

    __aicore__ inline void FetchGamma() {
        AscendC::LocalTensor<T> g = inGamma.template AllocTensor<T>();
        CopyElementsIn(g, gammaGm, t.width);
        inGamma.EnQue(g);
        g = inGamma.template DeQue<T>();
        AscendC::Duplicate(Weight(1), 0.0f, 2 * t.pitch);
        Narrow(Weight(0), Widened(Weight(0), g, t.width), t.width);
        Then();
        inGamma.FreeTensor(g);
    }

    __aicore__ inline void Tile(uint64_t row, uint32_t rows) {
        const uint32_t elements = t.tile * t.pitch;
        AscendC::LocalTensor<T> raw = in.template AllocTensor<T>();
        CopyRowsIn(raw, xGm[row * t.width], rows, t);
        if (RowMathTakesTwo(m.kind)) {
            CopyRowsIn(raw[elements], zGm[row * t.width], rows, t);
        }
        in.EnQue(raw);
        raw = in.template DeQue<T>();
        const Floats x = wide.template Get<float>();
        const Floats scratch = x[elements];
        const Floats z = x[2 * elements];
        const uint32_t count = rows * t.pitch;
        Then();
        Narrow(x, Widened(x, raw, count), count);
        if (RowMathTakesTwo(m.kind)) {
            Narrow(z, Widened(z, raw[elements], count), count);
        }
        Then();
        in.FreeTensor(raw);
        const Rows shape{rows, t.width, t.pitch};
        if (m.kind == RowMathKind::cross_entropy) {
            Loss(x, scratch, row, shape);
            return;
        }
        Compute(x, z, scratch, shape);
        AscendC::LocalTensor<T> y = out.template AllocTensor<T>();
        Narrow(y, x, count);
        out.template EnQue<T>(y);
        y = out.template DeQue<T>();
        CopyRowsOut(yGm[row * t.width], y, rows, t);
        out.FreeTensor(y);
    }

    template <typename Op>
    __aicore__ inline void Reduce(const Floats& to, const Floats& from, const Rows& rows) {
        ReduceRows<Op>(to, from, fold.template Get<float>(), rows);
        Then();
    }

    /// x op= each row's value.
    template <typename Op>
    __aicore__ inline void Each(const Floats& x, const Floats& values, const Rows& rows) {
        SpreadRowValues(spread.template Get<float>(), values, rows.count);
        Then();
        RowsWithValues<Op>(x, x, spread.template Get<float>(), rows);
        Then();
    }

    /// Value 0: ln(sum(exp(x))) of each row.
    __aicore__ inline void LogSum(const Floats& x, const Floats& scratch, const Rows& rows) {
        const uint32_t count = rows.count * rows.pitch;
        Reduce<RowMax>(Value(1), x, rows);
        SpreadRowValues(spread.template Get<float>(), Value(1), rows.count);
        Then();
        RowsWithValues<RowSub>(scratch, x, spread.template Get<float>(), rows);
        Then();
        AscendC::Exp(scratch, scratch, count), Then();
        Reduce<RowSum>(Value(0), scratch, rows);
        AscendC::Ln(Value(0), Value(0), rows.count), Then();
        AscendC::Add(Value(0), Value(0), Value(1), rows.count), Then();
    }

    /// x becomes the result.
    __aicore__ inline void Compute(const Floats& x,
                                   const Floats& z,
                                   const Floats& scratch,
                                   const Rows& rows) {
        using namespace AscendC;
        const uint32_t count = rows.count * rows.pitch;
        switch (m.kind) {
            case RowMathKind::log_softmax:
                LogSum(x, scratch, rows);
                Each<RowSub>(x, Value(0), rows);
                break;
            case RowMathKind::l1_norm:
            case RowMathKind::l2_norm:
                if (m.kind == RowMathKind::l1_norm) {
                    Abs(scratch, x, count), Then();
                } else {
                    Mul(scratch, x, x, count), Then();
                }
                Reduce<RowSum>(Value(0), scratch, rows);
                if (m.kind == RowMathKind::l2_norm) {
                    Sqrt(Value(0), Value(0), rows.count), Then();
                }
                Div(Value(0), Value(3), Value(0), rows.count), Then();
                Each<RowMul>(x, Value(0), rows);
                break;
            case RowMathKind::softmax_grad:
                Mul(scratch, x, z, count), Then();
                Reduce<RowSum>(Value(0), scratch, rows);
                Each<RowSub>(z, Value(0), rows);
                Mul(x, x, z, count), Then();
                break;
            case RowMathKind::log_softmax_grad:
                Exp(x, x, count), Then();
                Reduce<RowSum>(Value(0), z, rows);
                Each<RowMul>(x, Value(0), rows);
                Sub(x, z, x, count), Then();
                break;
            default:
                NormGrad(x, z, scratch, rows);
                break;
        }
    }

    /// x = (z gamma - [mean(z gamma)] - n mean(z gamma n)) / deviation; sums += z n, z.
    __aicore__ inline void NormGrad(const Floats& x,
                                    const Floats& z,
                                    const Floats& scratch,
                                    const Rows& rows) {
        using namespace AscendC;
        const uint32_t count = rows.count * rows.pitch;
        const float part = 1.0f / static_cast<float>(t.width);
        const bool centred = m.kind == RowMathKind::layer_norm_grad;
        if (centred) {
            Reduce<RowSum>(Value(0), x, rows);
            Muls(Value(0), Value(0), part, rows.count), Then();
            Each<RowSub>(x, Value(0), rows);
        }
        Mul(scratch, x, x, count), Then();
        Reduce<RowSum>(Value(0), scratch, rows);
        Muls(Value(0), Value(0), part, rows.count), Then();
        Adds(Value(0), Value(0), t.epsilon, rows.count), Then();
        Sqrt(Value(0), Value(0), rows.count), Then();
        Div(Value(2), Value(3), Value(0), rows.count), Then();  // 1 / deviation
        Each<RowMul>(x, Value(2), rows);                        // n
        Mul(scratch, z, x, count), Then();
        AddRows(Weight(1), scratch, rows);
        if (centred) {
            AddRows(Weight(2), z, rows);
        }
        RowsWithWeights<RowMul>(z, z, Weight(0), rows), Then();
        Mul(scratch, z, x, count), Then();
        Reduce<RowSum>(Value(0), scratch, rows);
        Muls(Value(0), Value(0), part, rows.count), Then();
        Each<RowMul>(x, Value(0), rows);
        Sub(x, z, x, count), Then();
        if (centred) {
            Reduce<RowSum>(Value(0), z, rows);
            Muls(Value(0), Value(0), part, rows.count), Then();
            Each<RowSub>(x, Value(0), rows);
        }
        Each<RowMul>(x, Value(2), rows);
    }

    __aicore__ inline void AddRows(const Floats& sum, const Floats& rows_of, const Rows& rows) {
        for (uint32_t r = 0; r < rows.count; ++r) {
            AscendC::Add(sum, sum, rows_of[r * rows.pitch], static_cast<int32_t>(rows.width));
            Then();
        }
    }

    __aicore__ inline void GiveSums() {
        const AscendC::TEventID ready = pipe.template FetchEventID<AscendC::HardEvent::V_MTE3>();
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(ready);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(ready);
        AscendC::SetAtomicAdd<float>();
        CopyElementsOut(sumsGm, Weight(1), t.width);
        if (m.kind == RowMathKind::layer_norm_grad) {
            CopyElementsOut(sumsGm[t.width], Weight(2), t.width);
        }
        AscendC::SetAtomicNone();
    }

    /// The scalar unit picks each row's target out of the tile.
    __aicore__ inline void Loss(const Floats& x, const Floats& scratch, uint64_t row, const Rows& rows) {
        using namespace AscendC;
        LocalTensor<int32_t> target = inTarget.template AllocTensor<int32_t>();
        CopyElementsIn(target, targetGm[row], rows.count);
        inTarget.EnQue(target);
        target = inTarget.template DeQue<int32_t>();
        LogSum(x, scratch, rows);
        const TEventID ready = pipe.template FetchEventID<HardEvent::V_S>();
        SetFlag<HardEvent::V_S>(ready);
        WaitFlag<HardEvent::V_S>(ready);
        const TEventID here = pipe.template FetchEventID<HardEvent::MTE2_S>();
        SetFlag<HardEvent::MTE2_S>(here);
        WaitFlag<HardEvent::MTE2_S>(here);
        for (uint32_t r = 0; r < rows.count; ++r) {
            Value(1).SetValue(r, x.GetValue(r * rows.pitch + target.GetValue(r)));
        }
        const TEventID set = pipe.template FetchEventID<HardEvent::S_V>();
        SetFlag<HardEvent::S_V>(set);
        WaitFlag<HardEvent::S_V>(set);
        inTarget.FreeTensor(target);
        LocalTensor<float> loss = out.template AllocTensor<float>();
        Sub(loss, Value(0), Value(1), static_cast<int32_t>(rows.count)), Then();
        if (m.mean != 0) {
            Muls(Value(0), loss, m.scale, static_cast<int32_t>(rows.count)), Then();
            WholeReduceSum(loss, Value(0), rows.count < 64 ? rows.count : 64, 1, 1, 1, 8), Then();
            SetAtomicAdd<float>();
        }
        out.template EnQue<float>(loss);
        loss = out.template DeQue<float>();
        CopyElementsOut(lossGm[m.mean != 0 ? 0 : row], loss, m.mean != 0 ? 1 : rows.count);
        if (m.mean != 0) {
            SetAtomicNone();
        }
        out.FreeTensor(loss);
    }

    RowMathTiling m;
    RowTiling t;
    RowShare share;
    uint32_t groups;
    AscendC::GlobalTensor<T> xGm, zGm, gammaGm, yGm;
    AscendC::GlobalTensor<int32_t> targetGm;
    AscendC::GlobalTensor<float> lossGm, sumsGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in, inTarget, inGamma;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, fold, value, spread, weights;
};
