// SPDX-License-Identifier: Apache-2.0
// Group normalisation of (batch, channels, length): each group of channels by its mean and deviation, each
// channel by its factor and offset, SiLU behind if wanted. A group is read twice: for its sums, and to be
// scaled. The arithmetic is in float.
#pragma once

#include "kernels/common/row_kernel.h"

struct ChannelGroups {
    uint64_t groups;     // of all of the batch
    uint64_t share;      // groups of a core
    uint64_t length;     // elements of a channel
    uint32_t channels;   // of a group
    uint32_t per_batch;  // groups of one batch entry
    uint32_t tile;       // channels in a buffer
    uint32_t chunk;      // elements of a channel in a buffer
    uint32_t pitch;      // whole blocks of 32 B
    uint32_t buffers;
    uint32_t silu;
    float epsilon;
};

template <typename T>
class GroupNorm {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline GroupNorm(
        GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, const ChannelGroups& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        gammaGm.SetGlobalBuffer((__gm__ T*)gamma);
        betaGm.SetGlobalBuffer((__gm__ T*)beta);
        const uint32_t elements = t.tile * t.pitch;
        weight_pitch = (t.channels + 15) / 16 * 16;
        pipe.InitBuffer(inX, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(wide, elements * sizeof(float));
        pipe.InitBuffer(beforeScratch, 256);  // x and what is made of it in different banks
        pipe.InitBuffer(scratch, elements * sizeof(float));
        pipe.InitBuffer(sums, (2 * elements + 64) * sizeof(float));
        pipe.InitBuffer(inWeights, 1, 2 * weight_pitch * sizeof(T));
        pipe.InitBuffer(weights, 2 * weight_pitch * sizeof(float));
        pipe.InitBuffer(value, 64 * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        for (uint64_t g = first; g < first + t.share && g < t.groups; ++g) {
            FetchWeights(g % t.per_batch * t.channels);
            Totals(g);
            const float mean = value.template Get<float>().GetValue(0) / Count();
            const float square = value.template Get<float>().GetValue(8) / Count();
            Apply(g, mean, 1.0f / sqrt(square - mean * mean + t.epsilon));
        }
    }

private:
    __aicore__ inline float Count() const {
        return static_cast<float>(t.channels) * static_cast<float>(t.length);
    }

    __aicore__ inline void Widen(const Floats& to, const AscendC::LocalTensor<T>& from, uint32_t n) const {
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(to, from, 0.0f, n);
        } else {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, n);
        }
    }

    __aicore__ inline void ScalarWaits() {
        const AscendC::TEventID ready = pipe.template FetchEventID<AscendC::HardEvent::V_S>();
        AscendC::SetFlag<AscendC::HardEvent::V_S>(ready);
        AscendC::WaitFlag<AscendC::HardEvent::V_S>(ready);
    }

    __aicore__ inline void FetchWeights(uint64_t channel) {
        AscendC::LocalTensor<T> w = inWeights.template AllocTensor<T>();
        CopyElementsIn(w, gammaGm[channel], t.channels);
        CopyElementsIn(w[weight_pitch], betaGm[channel], t.channels);
        inWeights.EnQue(w);
        w = inWeights.template DeQue<T>();
        AscendC::PipeBarrier<PIPE_V>();
        Widen(weights.template Get<float>(), w, t.channels);
        Widen(weights.template Get<float>()[weight_pitch], w[weight_pitch], t.channels);
        AscendC::PipeBarrier<PIPE_V>();
        inWeights.FreeTensor(w);
    }

    /// Calls visit(channel, channels, at, n) for each tile of a group.
    template <typename Visit>
    __aicore__ inline void EachTile(Visit visit) {
        for (uint32_t c = 0; c < t.channels; c += t.tile) {
            const uint32_t channels = t.channels - c < t.tile ? t.channels - c : t.tile;
            for (uint64_t at = 0; at < t.length; at += t.chunk) {
                visit(c,
                      channels,
                      at,
                      static_cast<uint32_t>(t.length - at < t.chunk ? t.length - at : t.chunk));
            }
        }
    }

    // (channels, n) GM -> (channels, pitch) UB, zeros behind a channel
    __aicore__ inline AscendC::LocalTensor<T> Load(uint64_t from, uint32_t channels, uint32_t n) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const uint32_t bytes = n * sizeof(T);
        const uint32_t padded = (bytes + 31) / 32 * 32;
        if (bytes == padded && (channels == 1 || n == t.length)) {
            AscendC::DataCopy(x, xGm[from], channels * n);
        } else {
            AscendC::DataCopyPad(
                x,
                xGm[from],
                AscendC::DataCopyExtParams(channels, bytes, (t.length - n) * sizeof(T), 0, 0),
                AscendC::DataCopyPadExtParams<T>(true, 0, (padded - bytes) / sizeof(T), T{}));
        }
        inX.EnQue(x);
        return inX.template DeQue<T>();
    }

    /// x as floats: itself, which stays in use, or its conversion, which frees it.
    __aicore__ inline Floats AsFloats(AscendC::LocalTensor<T>& x, uint32_t count) {
        if constexpr (as_is) {
            return x;
        } else {
            const Floats to = wide.template Get<float>();
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(to, x, AscendC::RoundMode::CAST_NONE, count);
            AscendC::PipeBarrier<PIPE_V>();
            inX.FreeTensor(x);
            return to;
        }
    }

    static constexpr bool as_is = std::is_same_v<T, float>;
    static constexpr uint32_t block = 32 / sizeof(T);

    __aicore__ inline static uint32_t Pitch(uint32_t n) { return (n + block - 1) / block * block; }

    /// Values 0 and 8: the sums of a group's elements and of their squares.
    __aicore__ inline void Totals(uint64_t g) {
        const Floats all = sums.template Get<float>();
        const Floats squares = all[t.tile * t.pitch + 64];
        const Floats square = scratch.template Get<float>();
        const uint32_t elements = t.tile * t.pitch;
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Duplicate(all, 0.0f, 2 * elements + 64);
        AscendC::PipeBarrier<PIPE_V>();
        EachTile([&](uint32_t c, uint32_t channels, uint64_t at, uint32_t n) {
            AscendC::LocalTensor<T> in = Load((g * t.channels + c) * t.length + at, channels, n);
            const uint32_t count = channels * Pitch(n);
            const Floats x = AsFloats(in, count);
            AscendC::Mul(square, x, x, count);
            AscendC::Add(all, all, x, count);
            AscendC::PipeBarrier<PIPE_V>();
            if constexpr (as_is) {
                inX.FreeTensor(in);
            }
            AscendC::Add(squares, squares, square, count);
            AscendC::PipeBarrier<PIPE_V>();
        });
        const Floats result = value.template Get<float>();
        ReduceRowsInPlace<RowSum>(result, all, {1, elements, elements});
        ReduceRowsInPlace<RowSum>(result[8], squares, {1, elements, elements});
        ScalarWaits();
    }

    __aicore__ inline void Apply(uint64_t g, float mean, float inverse) {
        const Floats gamma = weights.template Get<float>();
        const Floats beta = gamma[weight_pitch];
        EachTile([&](uint32_t c, uint32_t channels, uint64_t at, uint32_t n) {
            const uint64_t from = (g * t.channels + c) * t.length + at;
            AscendC::LocalTensor<T> in = Load(from, channels, n);
            const uint32_t pitch = Pitch(n);
            const Floats x = AsFloats(in, channels * pitch);
            const Floats w = wide.template Get<float>();
            for (uint32_t i = 0; i < channels; ++i) {
                AscendC::Muls(w[i * pitch], x[i * pitch], gamma.GetValue(c + i) * inverse, pitch);
            }
            AscendC::PipeBarrier<PIPE_V>();
            if constexpr (as_is) {
                inX.FreeTensor(in);
            }
            AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
            const Floats last = Last(y, w);
            const Floats shifted = t.silu != 0 ? w : last;
            for (uint32_t i = 0; i < channels; ++i) {
                const float factor = gamma.GetValue(c + i) * inverse;
                AscendC::Adds(shifted[i * pitch], w[i * pitch], beta.GetValue(c + i) - mean * factor, pitch);
            }
            AscendC::PipeBarrier<PIPE_V>();
            if (t.silu != 0) {
                Silu(last, w, channels * pitch);
            }
            if constexpr (!as_is) {
                AscendC::Cast(y, w, AscendC::RoundMode::CAST_RINT, channels * pitch);
            }
            outY.template EnQue<T>(y);
            y = outY.template DeQue<T>();
            AscendC::DataCopyPad(
                yGm[from],
                y,
                AscendC::DataCopyExtParams(channels, n * sizeof(T), 0, (t.length - n) * sizeof(T), 0));
            outY.FreeTensor(y);
        });
    }

    /// Where the last result as floats goes: straight out, or to what is rounded.
    __aicore__ inline static Floats Last(const AscendC::LocalTensor<T>& y, const Floats& w) {
        if constexpr (as_is) {
            return y;
        } else {
            return w;
        }
    }

    __aicore__ inline void Silu(const Floats& y, const Floats& x, uint32_t n) {
        const Floats s = scratch.template Get<float>();
        AscendC::Muls(s, x, -1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(s, s, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(s, s, 1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(y, x, s, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    ChannelGroups t;
    uint32_t weight_pitch;
    AscendC::GlobalTensor<T> xGm, yGm, gammaGm, betaGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inWeights;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, beforeScratch, scratch, sums, weights, value;
};
