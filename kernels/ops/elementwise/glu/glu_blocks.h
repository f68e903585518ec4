// SPDX-License-Identifier: Apache-2.0
// SwiGLU in blocks of rows and columns, dealt to the cores in turn: the order of the operator library's
// kernel (ops-nn, activation/swi_glu). Gate and value come through queues of their own, so that the value's
// copy runs while the gate is computed; there is room for one float copy of each operand only.
#pragma once

#include "kernels/ops/elementwise/glu/glu.h"

template <typename T>
class GluBlocks {
    using Floats = AscendC::LocalTensor<float>;

public:
    __aicore__ inline GluBlocks(GM_ADDR x, GM_ADDR y, const GluTiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t elements = t.tile * t.pitch;
        pipe.InitBuffer(inGate, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(inValue, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(floats, elements * sizeof(float));
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Duplicate(floats.template Get<float>(), 1.0f, elements);
        } else {
            pipe.InitBuffer(result, elements * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        const uint64_t pieces = (t.width + t.chunk - 1) / t.chunk;
        for (uint64_t u = AscendC::GetBlockIdx(); u < t.units; u += AscendC::GetBlockNum()) {
            const uint64_t row = u / pieces * t.tile;
            const uint64_t at = u % pieces * t.chunk;
            const uint32_t rows = t.rows - row < t.tile ? t.rows - row : t.tile;
            const uint32_t n = t.width - at < t.chunk ? t.width - at : t.chunk;
            const uint64_t from = row * 2 * t.width + at;
            Fetch(inGate, t.swap != 0 ? from + t.width : from, rows, n);
            Fetch(inValue, t.swap != 0 ? from : from + t.width, rows, n);
            Compute(rows * Pitch(n));
            Store(row * t.width + at, rows, n);
        }
    }

private:
    using In = AscendC::TQue<AscendC::TPosition::VECIN, 2>;

    static __aicore__ inline uint32_t Pitch(uint32_t n) {
        constexpr uint32_t block = 32 / sizeof(T);
        return (n + block - 1) / block * block;
    }

    // (rows, n) GM -> (rows, Pitch(n)) UB
    __aicore__ inline void Fetch(In& queue, uint64_t from, uint32_t rows, uint32_t n) {
        const AscendC::LocalTensor<T> to = queue.template AllocTensor<T>();
        const uint32_t bytes = n * sizeof(T);
        const uint32_t gap = rows == 1 ? 0 : (2 * t.width - n) * sizeof(T);
        if (n == Pitch(n) && t.width % Pitch(1) == 0) {
            AscendC::DataCopy(to, xGm[from], AscendC::DataCopyParams(rows, bytes / 32, gap / 32, 0));
        } else {
            AscendC::DataCopyPad(to,
                                 xGm[from],
                                 AscendC::DataCopyExtParams(rows, bytes, gap, 0, 0),
                                 AscendC::DataCopyPadExtParams<T>());
        }
        queue.EnQue(to);
    }

    /// gate / (1 + exp(-gate)) * value
    __aicore__ inline void Compute(uint32_t n) {
        AscendC::LocalTensor<T> gate = inGate.template DeQue<T>();
        const AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        if constexpr (std::is_same_v<T, float>) {
            const Floats ones = floats.template Get<float>();
            Denominator(y, gate, n);
            AscendC::Div(y, ones, y, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Mul(y, y, gate, n);
            AscendC::PipeBarrier<PIPE_V>();
            inGate.FreeTensor(gate);
            AscendC::LocalTensor<T> value = inValue.template DeQue<T>();
            AscendC::Mul(y, y, value, n);
            AscendC::PipeBarrier<PIPE_V>();
            inValue.FreeTensor(value);
        } else {
            const Floats wide = floats.template Get<float>();
            const Floats s = result.template Get<float>();
            AscendC::Cast(wide, gate, AscendC::RoundMode::CAST_NONE, n);
            AscendC::PipeBarrier<PIPE_V>();
            inGate.FreeTensor(gate);
            Denominator(s, wide, n);
            AscendC::Div(s, wide, s, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::LocalTensor<T> value = inValue.template DeQue<T>();
            AscendC::Cast(wide, value, AscendC::RoundMode::CAST_NONE, n);
            AscendC::PipeBarrier<PIPE_V>();
            inValue.FreeTensor(value);
            AscendC::Mul(s, s, wide, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, s, AscendC::RoundMode::CAST_RINT, n);
            AscendC::PipeBarrier<PIPE_V>();
        }
        outY.EnQue(y);
    }

    /// to = 1 + exp(-gate)
    __aicore__ inline void Denominator(const Floats& to, const Floats& gate, uint32_t n) {
        AscendC::Muls(to, gate, -1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(to, to, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(to, to, 1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    // (rows, Pitch(n)) UB -> (rows, n) GM
    __aicore__ inline void Store(uint64_t to, uint32_t rows, uint32_t n) {
        AscendC::LocalTensor<T> y = outY.template DeQue<T>();
        const uint32_t bytes = n * sizeof(T);
        const uint32_t gap = rows == 1 ? 0 : (t.width - n) * sizeof(T);
        if (n == Pitch(n) && t.width % Pitch(1) == 0) {
            AscendC::DataCopy(yGm[to], y, AscendC::DataCopyParams(rows, bytes / 32, 0, gap / 32));
        } else {
            AscendC::DataCopyPad(yGm[to], y, AscendC::DataCopyExtParams(rows, bytes, 0, gap, 0));
        }
        outY.FreeTensor(y);
    }

    GluTiling t;
    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TPipe pipe;
    In inGate, inValue;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> floats, result;
};
