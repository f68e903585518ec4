// SPDX-License-Identifier: Apache-2.0
// SwiGLU of an int8 product or of floats, quantised by rows, in the order of the operator library's kernels
// (ops-nn, quant/dequant_swiglu_quant): gate and value in queues of their own, the gate's half first; the
// scalar unit takes each row's factors, reads its largest magnitude back and quantises it by a scalar; all
// rows' scales leave at the end. Products go row by row, those of up to 1536 columns with the next row
// fetched ahead; floats as many rows at a time as fit, through one buffer.
#pragma once

#include "kernels/ops/elementwise/glu/glu.h"

template <typename T>
class GluQuant {
    using Floats = AscendC::LocalTensor<float>;
    using Event = AscendC::HardEvent;
    static constexpr bool product = std::is_same_v<T, int32_t>;

public:
    __aicore__ inline GluQuant(const GluAddresses& addresses, const GluTiling& tiling)
        : t(tiling), gm(addresses) {
        first = t.share * t.tile * AscendC::GetBlockIdx();
        const uint64_t most = t.share * t.tile;
        count = first >= t.rows ? 0 : t.rows - first < most ? t.rows - first : most;
        const uint32_t elements = t.tile * t.pitch;
        pipe.InitBuffer(inGate, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(inValue, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, elements);
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(gated, elements * sizeof(float));
        pipe.InitBuffer(result, elements * sizeof(float));
        pipe.InitBuffer(scales, (most + 7) / 8 * 32);
        if (product) {
            pipe.InitBuffer(factors, (most + 7) / 8 * 32);
        }
        if (product || t.smooth != 0) {
            pipe.InitBuffer(weights, 3 * t.pitch * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        FetchOnce();
        const bool ahead = t.buffers > 1;
        if (ahead) {
            CopyIn(0);
        }
        for (uint64_t at = 0; at < count; at += t.tile) {
            const uint32_t rows = Rows(at);
            if (!ahead) {
                CopyIn(at);
            }
            Gate(at, rows);
            if (ahead && at + t.tile < count) {
                CopyIn(at + t.tile);
            }
            Quantise(at, rows);
            CopyOut(at, rows);
        }
        const AscendC::TEventID set = pipe.template FetchEventID<Event::S_MTE3>();
        AscendC::SetFlag<Event::S_MTE3>(set);
        AscendC::WaitFlag<Event::S_MTE3>(set);
        CopyElementsOut(gm.scale[first], scales.template Get<float>(), count);
    }

private:
    __aicore__ inline uint32_t Rows(uint64_t at) const { return count - at < t.tile ? count - at : t.tile; }

    static __aicore__ inline void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    /// The columns' scales and factors; the rows' scales, where no row is fetched ahead of its time.
    __aicore__ inline void FetchOnce() {
        if (product) {
            const Floats w = weights.template Get<float>();
            CopyElementsIn(w, gm.weight_scale[t.swap != 0 ? t.width : 0], t.width);
            CopyElementsIn(w[t.pitch], gm.weight_scale[t.swap != 0 ? 0 : t.width], t.width);
            if (t.buffers == 1) {
                CopyElementsIn(factors.template Get<float>(), gm.row_scale[first], count);
            }
        }
        if (t.smooth != 0) {
            CopyElementsIn(weights.template Get<float>()[2 * t.pitch], gm.smooth, t.width);
        }
        const AscendC::TEventID come = pipe.template FetchEventID<Event::MTE2_V>();
        AscendC::SetFlag<Event::MTE2_V>(come);
        AscendC::WaitFlag<Event::MTE2_V>(come);
        const AscendC::TEventID read = pipe.template FetchEventID<Event::MTE2_S>();
        AscendC::SetFlag<Event::MTE2_S>(read);
        AscendC::WaitFlag<Event::MTE2_S>(read);
    }

    using In = AscendC::TQue<AscendC::TPosition::VECIN, 1>;

    // (rows, width) GM -> (rows, pitch) UB, of both halves
    __aicore__ inline void CopyIn(uint64_t at) {
        const uint64_t from = (first + at) * 2 * t.width;
        Fetch(inGate, t.swap != 0 ? from + t.width : from, Rows(at));
        Fetch(inValue, t.swap != 0 ? from : from + t.width, Rows(at));
    }

    __aicore__ inline void Fetch(In& queue, uint64_t from, uint32_t rows) {
        AscendC::LocalTensor<T> x = queue.template AllocTensor<T>();
        const uint32_t bytes = t.width * sizeof(T);
        const uint32_t padded = (bytes + 31) / 32 * 32;
        AscendC::DataCopyPad(
            x,
            gm.x[from],
            AscendC::DataCopyExtParams(rows, bytes, bytes, (t.pitch * sizeof(T) - padded) / 32, 0),
            AscendC::DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), T{}));
        queue.EnQue(x);
    }

    /// to = one half as floats, scaled by column and row where it is a product's.
    __aicore__ inline void Widen(const Floats& to, In& queue, const Floats& columns, float row, uint32_t n) {
        AscendC::LocalTensor<T> x = queue.template DeQue<T>();
        AscendC::Cast(to, x, AscendC::RoundMode::CAST_NONE, n);
        Then();
        queue.FreeTensor(x);
        if constexpr (product) {
            AscendC::Mul(to, to, columns, n);
            Then();
            AscendC::Muls(to, to, row, n);
            Then();
        }
    }

    __aicore__ inline void Gate(uint64_t at, uint32_t rows) {
        const uint32_t n = rows * t.pitch;
        const Floats a = wide.template Get<float>(), b = gated.template Get<float>(),
                     y = result.template Get<float>();
        Floats columns;
        float row = 1;
        if constexpr (product) {
            columns = weights.template Get<float>();
            row = t.buffers == 1 ? factors.template Get<float>().GetValue(at)
                                 : gm.row_scale.GetValue(first + at);
        }
        Widen(a, inGate, columns, row, n);
        AscendC::Muls(b, a, -1.0f, n), Then();
        AscendC::Exp(b, b, n), Then();
        AscendC::Adds(b, b, 1.0f, n), Then();
        AscendC::Div(b, a, b, n), Then();
        if constexpr (product) {
            columns = columns[t.pitch];
        }
        Widen(a, inValue, columns, row, n);
        AscendC::Mul(y, b, a, n), Then();
        for (uint32_t r = 0; r < rows && t.smooth != 0; ++r) {
            AscendC::Mul(y[r * t.pitch], y[r * t.pitch], weights.template Get<float>()[2 * t.pitch], t.width);
        }
        Then();
    }

    __aicore__ inline void Quantise(uint64_t at, uint32_t rows) {
        const uint32_t n = rows * t.pitch;
        const Floats y = result.template Get<float>(), magnitude = wide.template Get<float>();
        const Floats most = scales.template Get<float>();
        AscendC::Abs(magnitude, y, n), Then();
        for (uint32_t r = 0; r < rows; ++r) {
            const Floats row = magnitude[r * t.pitch];
            AscendC::ReduceMax(most[at + r], row, row, t.width), Then();
            const AscendC::TEventID made = pipe.template FetchEventID<Event::V_S>();
            AscendC::SetFlag<Event::V_S>(made);
            AscendC::WaitFlag<Event::V_S>(made);
            const float step = most.GetValue(at + r) / 127;
            most.SetValue(at + r, step);
            AscendC::Muls(y[r * t.pitch], y[r * t.pitch], 1 / step, t.width), Then();
        }
        AscendC::LocalTensor<int8_t> out = outY.template AllocTensor<int8_t>();
        const AscendC::LocalTensor<int16_t> whole = gated.template Get<int16_t>();
        AscendC::Cast(whole, y, AscendC::RoundMode::CAST_RINT, n), Then();
        AscendC::Cast(whole.template ReinterpretCast<half>(), whole, AscendC::RoundMode::CAST_NONE, n),
            Then();
        AscendC::Cast(out, whole.template ReinterpretCast<half>(), AscendC::RoundMode::CAST_NONE, n), Then();
        outY.template EnQue<int8_t>(out);
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t rows) {
        AscendC::LocalTensor<int8_t> out = outY.template DeQue<int8_t>();
        const auto to = gm.y[(first + at) * t.width];
        if (t.pitch == t.width || rows == 1) {
            CopyElementsOut(to, out, rows * t.width);
        } else {
            AscendC::DataCopyPad(
                to,
                out,
                AscendC::DataCopyExtParams(rows, t.width, (t.pitch - (t.width + 31) / 32 * 32) / 32, 0, 0));
        }
        outY.FreeTensor(out);
    }

    GluTiling t;
    GluTensors<T, int8_t> gm;
    uint64_t first, count;  // rows of this core
    AscendC::TPipe pipe;
    In inGate, inValue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, gated, result, weights, factors, scales;
};
