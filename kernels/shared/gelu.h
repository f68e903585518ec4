// SPDX-License-Identifier: Apache-2.0
// GELU over a flat tensor: half, bfloat16 or float in and out, computed in float.
#pragma once

#include "kernel_operator.h"
#include "kernels/shared/gm_copy.h"

struct GeluTiling {
    uint64_t total;    // elements
    uint64_t share;    // elements of one core; the last core has what is left
    uint32_t tile;     // elements in a buffer
    uint32_t buffers;  // 2: copies and arithmetic overlap
    uint32_t erf;      // 1: the exact form, 0: the tanh form
    uint32_t spacer;   // bytes between x and the scratch, so that they lie in different banks
};

/// x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3))): the tanh form without its tanh. `t` is scratch.
__aicore__ inline void GeluTanh(const AscendC::LocalTensor<float>& y,
                                const AscendC::LocalTensor<float>& x,
                                const AscendC::LocalTensor<float>& t,
                                int32_t count) {
    using namespace AscendC;
    constexpr float linear = -1.5957691216057308f;  // -2 sqrt(2 / pi)
    constexpr float cubic = linear * 0.044715f;
    Mul(t, x, x, count);
    PipeBarrier<PIPE_V>();
    Muls(t, t, cubic, count);
    PipeBarrier<PIPE_V>();
    Adds(t, t, linear, count);
    PipeBarrier<PIPE_V>();
    Mul(t, t, x, count);
    PipeBarrier<PIPE_V>();
    Exp(t, t, count);
    PipeBarrier<PIPE_V>();
    Adds(t, t, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Div(y, x, t, count);
}

/// x (1 + erf(x / sqrt 2)) / 2 = relu(x) - |x| erfc(|x| / sqrt 2) / 2, erfc by Abramowitz and Stegun 7.1.26,
/// whose error is 1.5e-7. `scratch` holds 4 * pitch elements; x is overwritten.
__aicore__ inline void GeluErf(const AscendC::LocalTensor<float>& y,
                               const AscendC::LocalTensor<float>& x,
                               const AscendC::LocalTensor<float>& scratch,
                               uint32_t pitch,
                               int32_t count) {
    using namespace AscendC;
    constexpr float far = 16.0f;  // erfc is 0 from there on; keeps infinity from meeting 0
    constexpr float slope = 0.3275911f * 0.70710678118f;  // p / sqrt 2
    constexpr float half_of[]{0.127414796f, -0.142248368f, 0.7107068705f, -0.7265760135f, 0.5307027145f};
    const LocalTensor<float> a = scratch;             // |x|
    const LocalTensor<float> t = scratch[pitch];      // 1 / (1 + slope |x|)
    const LocalTensor<float> p = scratch[2 * pitch];  // the polynomial
    const LocalTensor<float> e = scratch[3 * pitch];  // exp(-x^2 / 2)
    Abs(a, x, count);
    Duplicate(p, 1.0f, count);
    PipeBarrier<PIPE_V>();
    Mins(a, a, far, count);
    Maxs(x, x, 0.0f, count);
    PipeBarrier<PIPE_V>();
    Muls(t, a, slope, count);
    Mul(e, a, a, count);
    PipeBarrier<PIPE_V>();
    Adds(t, t, 1.0f, count);
    Muls(e, e, -0.5f, count);
    PipeBarrier<PIPE_V>();
    Div(t, p, t, count);
    Exp(e, e, count);
    PipeBarrier<PIPE_V>();
    Mul(a, a, e, count);
    Muls(p, t, half_of[4], count);
    for (int32_t i = 3; i >= 0; --i) {
        PipeBarrier<PIPE_V>();
        Adds(p, p, half_of[i], count);
        PipeBarrier<PIPE_V>();
        Mul(p, p, t, count);
    }
    PipeBarrier<PIPE_V>();
    Mul(p, p, a, count);
    PipeBarrier<PIPE_V>();
    Sub(y, x, p, count);
}

template <typename TIn, typename TOut>
class Gelu {
public:
    __aicore__ inline Gelu(GM_ADDR x, GM_ADDR y, const GeluTiling& tiling) : tiling(tiling) {
        const uint64_t begin = tiling.share * AscendC::GetBlockIdx();
        length = begin >= tiling.total                 ? 0
                 : tiling.total - begin < tiling.share ? tiling.total - begin
                                                       : tiling.share;
        xGm.SetGlobalBuffer((__gm__ TIn*)x + begin, length);
        yGm.SetGlobalBuffer((__gm__ TOut*)y + begin, length);
        pipe.InitBuffer(inX, tiling.buffers, tiling.tile * sizeof(TIn));
        pipe.InitBuffer(outY, tiling.buffers, tiling.tile * sizeof(TOut));
        pipe.InitBuffer(wideX, casts_in ? tiling.tile * sizeof(float) : 32);
        pipe.InitBuffer(beforeScratch, tiling.spacer);
        pipe.InitBuffer(scratch, (tiling.erf ? 4 * Pitch() : tiling.tile) * sizeof(float));
    }

    __aicore__ inline void Process() {
        for (uint64_t at = 0; at < length; at += tiling.tile) {
            const uint32_t count = length - at < tiling.tile ? length - at : tiling.tile;
            CopyIn(at, count);
            Compute(count);
            CopyOut(at, count);
        }
    }

private:
    /// From one scratch array to the next, in floats: neighbours lie in different banks.
    __aicore__ inline uint32_t Pitch() const { return tiling.tile + 64; }

    static constexpr bool casts_in = !std::is_same_v<TIn, float>;
    static constexpr bool casts_out = !std::is_same_v<TOut, float>;

    __aicore__ inline void CopyIn(uint64_t at, uint32_t count) {
        AscendC::LocalTensor<TIn> x = inX.template AllocTensor<TIn>();
        CopyElementsIn(x, xGm[at], count);  // (count) GM -> UB
        inX.EnQue(x);
    }

    __aicore__ inline void Compute(uint32_t count) {
        AscendC::LocalTensor<TIn> x = inX.template DeQue<TIn>();
        AscendC::LocalTensor<TOut> y = outY.template AllocTensor<TOut>();
        AscendC::LocalTensor<float> t = scratch.template Get<float>();
        AscendC::LocalTensor<float> wide;  // (count) x in float
        if constexpr (casts_in) {
            wide = wideX.template Get<float>();
            AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            inX.FreeTensor(x);
        } else {
            wide = x;
        }
        if constexpr (casts_out) {
            Apply(wide, wide, t, count);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, count);
        } else {
            Apply(y, wide, t, count);
        }
        if constexpr (!casts_in) {
            inX.FreeTensor(x);
        }
        outY.template EnQue<TOut>(y);
    }

    __aicore__ inline void Apply(const AscendC::LocalTensor<float>& y,
                                 const AscendC::LocalTensor<float>& x,
                                 const AscendC::LocalTensor<float>& t,
                                 uint32_t count) {
        if (tiling.erf != 0) {
            GeluErf(y, x, t, Pitch(), count);
        } else {
            GeluTanh(y, x, t, count);
        }
    }

    __aicore__ inline void CopyOut(uint64_t at, uint32_t count) {
        AscendC::LocalTensor<TOut> y = outY.template DeQue<TOut>();
        CopyElementsOut(yGm[at], y, count);  // (count) UB -> GM
        outY.FreeTensor(y);
    }

    GeluTiling tiling;
    uint64_t length;
    AscendC::GlobalTensor<TIn> xGm;   // (length)
    AscendC::GlobalTensor<TOut> yGm;  // (length)
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX;    // (tile)
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;  // (tile)
    AscendC::TBuf<AscendC::TPosition::VECCALC> wideX, beforeScratch, scratch;
};
