// SPDX-License-Identifier: Apache-2.0
// Group normalisation of (batch, channels, length): each group of channels by its mean and deviation, each
// channel by its factor and offset, SiLU behind if wanted. A group is read twice, for its sums and to be
// scaled; once if it fits a buffer. The arithmetic is in float.
//
// Order of work and tiling are those of the operator library's GroupNormSilu (ops-nn, norm/group_norm_silu:
// tiling and kernels for this chip): sums over pieces of 8192 elements whatever channel they belong to;
// scaling by whole channels, several to a piece if they are whole blocks, else one by one; two instructions a
// channel. Where channels are single elements, factors and offsets come with each group and are multiplied as
// vectors.
#pragma once

#include "kernel_operator.h"
#include "kernels/shared/gm_copy.h"
#include "kernels/shared/order.h"

struct ChannelGroups {
    uint64_t groups;     // of all of the batch
    uint64_t share;      // groups of a core
    uint64_t length;     // elements of a channel
    uint32_t channels;   // of a group
    uint32_t per_batch;  // groups of one batch entry
    uint32_t tile;       // channels scaled at a time; more than one only if they are whole blocks
    uint32_t chunk;      // elements in a buffer
    uint32_t each;       // 1: factor and offset are fetched for each channel, 0: for all at once
    uint32_t buffers;
    uint32_t silu;
    float epsilon;
};

template <typename T>
class GroupNorm {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline GroupNorm(GM_ADDR x,
                                GM_ADDR gamma,
                                GM_ADDR beta,
                                GM_ADDR y,
                                GM_ADDR mean,
                                GM_ADDR inverse,
                                const ChannelGroups& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        gammaGm.SetGlobalBuffer((__gm__ T*)gamma);
        betaGm.SetGlobalBuffer((__gm__ T*)beta);
        meanGm.SetGlobalBuffer((__gm__ T*)mean);
        inverseGm.SetGlobalBuffer((__gm__ T*)inverse);
        size = t.channels * t.length;
        weight_pitch = t.length == 1 ? t.chunk : t.each != 0 ? 16 : (t.channels * t.per_batch + 15) / 16 * 16;
        // Sums, squares and results in some banks of the unified buffer, what is added to them or divided by
        // in the others, 256 B apart: nothing in the measured times (8 to 9 cycles for 64 elements that are
        // scaled) hints at conflicts.
        pipe.InitBuffer(folded, t.chunk * sizeof(float));
        pipe.InitBuffer(outY, t.buffers, t.chunk * sizeof(T));
        if constexpr (!as_is) {
            pipe.InitBuffer(squares, t.chunk * sizeof(float));
        }
        pipe.InitBuffer(between, 256);
        pipe.InitBuffer(inX, t.buffers, t.chunk * sizeof(T));
        pipe.InitBuffer(work, (as_is ? t.chunk / 64 : t.chunk) * sizeof(float));
        pipe.InitBuffer(inWeights, 1, 2 * weight_pitch * sizeof(T));
        if constexpr (!as_is) {
            pipe.InitBuffer(weights, 2 * weight_pitch * sizeof(float));
        }
        pipe.InitBuffer(stats, 2 * stats_at_once * sizeof(float));
        pipe.InitBuffer(outStats, 1, 2 * stats_at_once * sizeof(T));
        pipe.InitBuffer(value, 16 * sizeof(float));
    }

    __aicore__ inline void Process() {
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t end = first + t.share < t.groups ? first + t.share : t.groups;
        if (first >= end) {
            return;
        }
        if (t.each == 0) {
            FetchWeights(0, t.channels * t.per_batch);
        }
        for (uint64_t from = first; from < end; from += stats_at_once) {
            const uint32_t count = end - from < stats_at_once ? end - from : stats_at_once;
            for (uint32_t i = 0; i < count; ++i) {
                Group(from + i, i);
            }
            StoreStats(from, count);
        }
        if (t.each == 0) {
            FreeWeights();
        }
    }

private:
    static constexpr bool as_is = std::is_same_v<T, float>;
    static constexpr uint32_t stats_at_once = 32;

    __aicore__ inline void FetchWeights(uint64_t channel, uint32_t count) {
        AscendC::LocalTensor<T> w = inWeights.template AllocTensor<T>();
        CopyElementsIn(w, gammaGm[channel], count);
        CopyElementsIn(w[weight_pitch], betaGm[channel], count);
        inWeights.EnQue(w);
        w = inWeights.template DeQue<T>();
        if constexpr (as_is) {
            held = w;
        } else {
            held = weights.template Get<float>();
            AscendC::Cast(held, w, AscendC::RoundMode::CAST_NONE, count);
            AscendC::Cast(held[weight_pitch], w[weight_pitch], AscendC::RoundMode::CAST_NONE, count);
            inWeights.FreeTensor(w);
        }
    }

    __aicore__ inline void FreeWeights() {
        if constexpr (as_is) {
            inWeights.FreeTensor(held);
        }
    }

    // (n) GM -> UB
    __aicore__ inline AscendC::LocalTensor<T> Load(uint64_t from, uint32_t n) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        CopyElementsIn(x, xGm[from], n);
        inX.EnQue(x);
        return inX.template DeQue<T>();
    }

    __aicore__ inline void Group(uint64_t g, uint32_t slot) {
        const bool once = size <= t.chunk && t.tile == t.channels && t.length > 1;
        AscendC::LocalTensor<T> x = Totals(g, once);
        Order<AscendC::HardEvent::V_S>(pipe);
        const float part = 1.0f / (static_cast<float>(t.channels) * static_cast<float>(t.length));
        const float mean = value.template Get<float>().GetValue(0) * part;
        const float square = value.template Get<float>().GetValue(8) * part;
        const float inverse = 1.0f / sqrt(square - mean * mean + t.epsilon);
        stats.template Get<float>().SetValue(slot, mean);
        stats.template Get<float>().SetValue(stats_at_once + slot, inverse);
        Order<AscendC::HardEvent::S_V>(pipe);
        if (t.length == 1) {
            Elements(g, mean, inverse);
            return;
        }
        for (uint32_t c = 0; c < t.channels; c += t.tile) {
            const uint32_t channels = t.channels - c < t.tile ? t.channels - c : t.tile;
            const uint64_t channel = g % t.per_batch * t.channels + c;
            if (t.each != 0) {
                FetchWeights(channel, 1);
                Order<AscendC::HardEvent::V_S>(
                    pipe);  // those of all channels are there when the first sums are
            }
            Channels(
                x, once, (g * t.channels + c) * t.length, t.each != 0 ? 0 : channel, channels, mean, inverse);
            if (t.each != 0) {
                FreeWeights();
            }
        }
    }

    /// Values 0 and 8: the sums of a group's elements and of their squares. The group itself stays if it is
    /// kept.
    __aicore__ inline AscendC::LocalTensor<T> Totals(uint64_t g, bool keep) {
        const Floats sum = folded.template Get<float>();
        const Floats result = value.template Get<float>();
        const Floats scratch = work.template Get<float>();
        const uint32_t first = size < t.chunk ? size : t.chunk;
        AscendC::LocalTensor<T> spare;
        AscendC::LocalTensor<T> x;
        Floats square = Squares(spare);
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (as_is) {
            if (size <= t.chunk) {
                x = Load(g * size, first);
                AscendC::Mul(square, x, x, first);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::ReduceSum<float>(result, x, scratch, first);
                if (!keep) {
                    inX.FreeTensor(x);
                }
            } else {
                Order<AscendC::HardEvent::V_MTE2>(pipe);
                CopyElementsIn(sum, xGm[g * size], first);
                Order<AscendC::HardEvent::MTE2_V>(pipe);
                AscendC::Mul(square, sum, sum, first);
            }
        } else {
            x = Load(g * size, first);
            AscendC::Cast(sum, x, AscendC::RoundMode::CAST_NONE, first);
            AscendC::PipeBarrier<PIPE_V>();
            inX.FreeTensor(x);
            AscendC::Mul(square, sum, sum, first);
        }
        for (uint64_t at = t.chunk; at < size; at += t.chunk) {
            Fold(sum, square, g * size + at, size - at < t.chunk ? size - at : t.chunk);
        }
        AscendC::PipeBarrier<PIPE_V>();
        if (!as_is || size > t.chunk) {
            AscendC::ReduceSum<float>(result, sum, scratch, first);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::ReduceSum<float>(result[8], square, scratch, first);
        FreeSquares(spare);
        return x;
    }

    /// Squares are summed up in a buffer of their own, or in one of the results' if those are floats.
    __aicore__ inline Floats Squares(AscendC::LocalTensor<T>& spare) {
        if constexpr (as_is) {
            spare = outY.template AllocTensor<T>();
            return spare;
        } else {
            return squares.template Get<float>();
        }
    }

    __aicore__ inline void FreeSquares(AscendC::LocalTensor<T>& spare) {
        if constexpr (as_is) {
            outY.FreeTensor(spare);
        }
    }

    /// sum += x, square += x * x.
    __aicore__ inline void Fold(const Floats& sum, const Floats& square, uint64_t from, uint32_t n) {
        AscendC::LocalTensor<T> in = Load(from, n);
        Floats x;
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (as_is) {
            x = in;
        } else {
            x = work.template Get<float>();
            AscendC::Cast(x, in, AscendC::RoundMode::CAST_NONE, n);
            inX.FreeTensor(in);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Add(sum, sum, x, n);
        AscendC::Mul(x, x, x, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(square, square, x, n);
        if constexpr (as_is) {
            inX.FreeTensor(in);
        }
    }

    /// Scales a group whose channels are single elements, each by its own factor and offset.
    __aicore__ inline void Elements(uint64_t g, float mean, float inverse) {
        for (uint64_t at = 0; at < size; at += t.chunk) {
            const uint32_t n = size - at < t.chunk ? size - at : t.chunk;
            FetchWeights(g % t.per_batch * t.channels + at, n);
            AscendC::LocalTensor<T> in = Load(g * size + at, n);
            const Floats x = Wide(in, false, n);
            AscendC::Adds(x, x, -mean, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Muls(x, x, inverse, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Mul(x, x, held, n);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
            const Floats last = Last(y, x);
            AscendC::Add(t.silu != 0 ? x : last, x, held[weight_pitch], n);
            AscendC::PipeBarrier<PIPE_V>();
            FreeWeights();
            Store(in, x, last, y, g * size + at, n);
        }
    }

    /// What is left to do with `n` scaled elements: SiLU, rounding, the copy to global memory.
    __aicore__ inline void Store(AscendC::LocalTensor<T>& in,
                                 const Floats& x,
                                 const Floats& last,
                                 AscendC::LocalTensor<T>& y,
                                 uint64_t to,
                                 uint32_t n) {
        if (t.silu != 0) {
            Silu(last, x, n);
        }
        if constexpr (as_is) {
            inX.FreeTensor(in);
        } else {
            AscendC::Cast(y, x, AscendC::RoundMode::CAST_RINT, n);
            AscendC::PipeBarrier<PIPE_V>();
        }
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        CopyElementsOut(yGm[to], y, n);
        outY.FreeTensor(y);
    }

    /// Scales whole channels that lie behind each other, or one channel in pieces.
    __aicore__ inline void Channels(AscendC::LocalTensor<T>& kept,
                                    bool once,
                                    uint64_t from,
                                    uint64_t channel,
                                    uint32_t channels,
                                    float mean,
                                    float inverse) {
        const uint64_t all = channels * t.length;
        for (uint64_t at = 0; at < all; at += t.chunk) {
            const uint32_t n = all - at < t.chunk ? all - at : t.chunk;
            AscendC::LocalTensor<T> in = once && as_is ? kept
                                         : once        ? AscendC::LocalTensor<T>()
                                                       : Load(from + at, n);
            const Floats x = Wide(in, once, n);
            const uint32_t step = channels == 1 ? n : t.length;
            AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
            const Floats last = Last(y, x);
            for (uint32_t i = 0; i < channels; ++i) {
                const float factor = inverse * held.GetValue(channel + i);
                const float offset = held.GetValue(weight_pitch + channel + i) - factor * mean;
                AscendC::Muls(x[i * step], x[i * step], factor, step);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Adds(t.silu != 0 ? x[i * step] : last[i * step], x[i * step], offset, step);
                AscendC::PipeBarrier<PIPE_V>();
            }
            Store(in, x, last, y, from + at, n);
        }
    }

    /// x as floats: the buffer itself, its conversion, or what the sums have converted already.
    __aicore__ inline Floats Wide(AscendC::LocalTensor<T>& in, bool once, uint32_t n) {
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (as_is) {
            return in;
        } else {
            const Floats x = folded.template Get<float>();
            if (!once) {
                AscendC::Cast(x, in, AscendC::RoundMode::CAST_NONE, n);
                AscendC::PipeBarrier<PIPE_V>();
                inX.FreeTensor(in);
            }
            return x;
        }
    }

    /// Where the last result as floats goes: straight out, or to what is rounded.
    __aicore__ inline static Floats Last(const AscendC::LocalTensor<T>& y, const Floats& x) {
        if constexpr (as_is) {
            return y;
        } else {
            return x;
        }
    }

    __aicore__ inline void Silu(const Floats& y, const Floats& x, uint32_t n) {
        Floats s = y;
        if constexpr (!as_is) {
            s = work.template Get<float>();
        }
        AscendC::Muls(s, x, -1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Exp(s, s, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Adds(s, s, 1.0f, n);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Div(y, x, s, n);
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void StoreStats(uint64_t from, uint32_t count) {
        const Floats each = stats.template Get<float>();
        AscendC::LocalTensor<T> out = outStats.template AllocTensor<T>();
        if constexpr (as_is) {
            AscendC::Adds(out, each, 0.0f, 2 * stats_at_once);
        } else {
            AscendC::Cast(out, each, AscendC::RoundMode::CAST_RINT, 2 * stats_at_once);
        }
        outStats.template EnQue<T>(out);
        out = outStats.template DeQue<T>();
        CopyElementsOut(meanGm[from], out, count);
        CopyElementsOut(inverseGm[from], out[stats_at_once], count);
        outStats.FreeTensor(out);
        Order<AscendC::HardEvent::V_S>(pipe);
    }

    ChannelGroups t;
    uint64_t size;  // elements of a group
    uint32_t weight_pitch;
    Floats held;  // factors, and weight_pitch behind them offsets
    AscendC::GlobalTensor<T> xGm, yGm, gammaGm, betaGm, meanGm, inverseGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inX, inWeights;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY, outStats;
    AscendC::TBuf<AscendC::TPosition::VECCALC> folded, squares, between, work, weights, stats, value;
};
