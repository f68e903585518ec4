// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding: y = x cos + turned(x) sin, where turned swaps the halves of a head, or
// neighbours, and negates what comes first. x is (tokens, heads, width), cos and sin (positions, width);
// token t stands at position t % positions. Arithmetic is in float.
#pragma once

#include "kernels/shared/row_kernel.h"

struct RotaryTiling {
    uint64_t tokens;
    uint64_t share;      // of a core
    uint64_t positions;  // after which angles repeat
    uint32_t heads;
    uint32_t width;  // of a head
    uint32_t tile;   // tokens in a buffer
    uint32_t buffers;
    uint32_t neighbours;  // 1: neighbours are swapped, 0: halves
};

template <typename T>
class Rotary {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline Rotary(GM_ADDR x, GM_ADDR cos, GM_ADDR sin, GM_ADDR y, const RotaryTiling& tiling)
        : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        cosGm.SetGlobalBuffer((__gm__ T*)cos);
        sinGm.SetGlobalBuffer((__gm__ T*)sin);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        const uint32_t angles = t.tile * t.width;
        const uint32_t elements = angles * t.heads;
        pipe.InitBuffer(in, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(inAngles, t.buffers, 2 * angles * sizeof(T));
        pipe.InitBuffer(out, t.buffers, elements * sizeof(T));
        pipe.InitBuffer(wide, 3 * elements * sizeof(float));
        pipe.InitBuffer(wideAngles, 2 * angles * sizeof(float));
        if (t.neighbours != 0) {
            pipe.InitBuffer(swap, (elements + 63) / 64 * 256);
            pipe.InitBuffer(sign, 64 * sizeof(float));
        }
    }

    __aicore__ inline void Process() {
        if (t.neighbours != 0) {
            Neighbours();
        }
        const uint64_t first = t.share * AscendC::GetBlockIdx();
        const uint64_t end = first + t.share < t.tokens ? first + t.share : t.tokens;
        for (uint64_t token = first; token < end;) {
            const uint64_t wrap = t.positions - token % t.positions;
            uint64_t n = end - token < t.tile ? end - token : t.tile;
            n = n < wrap ? n : wrap;
            Tile(token, static_cast<uint32_t>(n));
            token += n;
        }
    }

private:
    __aicore__ inline static void Then() { AscendC::PipeBarrier<PIPE_V>(); }

    /// Byte offsets of each element's neighbour, 4 (i + 1 - 2 (i % 2)), and the signs -1, 1, -1, ...
    __aicore__ inline void Neighbours() {
        const uint32_t elements = t.tile * t.heads * t.width;
        const AscendC::LocalTensor<int32_t> at = swap.template Get<int32_t>();
        const AscendC::LocalTensor<float> pattern = sign.template Get<float>();
        AscendC::CreateVecIndex(at, int32_t{0}, (elements + 63) / 64 * 64);
        uint64_t odd[2]{0xAAAAAAAAAAAAAAAA, 0};
        AscendC::Duplicate(pattern, -1.0f, 64);
        Then();
        AscendC::Duplicate(pattern, 1.0f, odd, 1, 1, 8);
        Then();
        AscendC::Muls(at, at, int32_t{4}, (elements + 63) / 64 * 64);
        Then();
        for (uint32_t i = 0; i < elements; i += 255 * 64) {
            const uint32_t repeats = (elements - i + 63) / 64;
            uint64_t even[2]{0x5555555555555555, 0};
            const uint8_t times = repeats < 255 ? repeats : 255;
            AscendC::Adds(at[i], at[i], int32_t{4}, even, times, AscendC::UnaryRepeatParams(1, 1, 8, 8));
            AscendC::Adds(at[i], at[i], int32_t{-4}, odd, times, AscendC::UnaryRepeatParams(1, 1, 8, 8));
        }
        Then();
    }

    __aicore__ inline void Tile(uint64_t token, uint32_t n) {
        const uint32_t angles = n * t.width;
        const uint32_t elements = angles * t.heads;
        AscendC::LocalTensor<T> raw = in.template AllocTensor<T>();
        CopyElementsIn(raw, xGm[token * t.heads * t.width], elements);
        in.EnQue(raw);
        AscendC::LocalTensor<T> turns = inAngles.template AllocTensor<T>();
        CopyElementsIn(turns, cosGm[token % t.positions * t.width], angles);
        CopyElementsIn(turns[t.tile * t.width], sinGm[token % t.positions * t.width], angles);
        inAngles.EnQue(turns);
        const Floats cos = wideAngles.template Get<float>();
        const Floats sin = cos[t.tile * t.width];
        turns = inAngles.template DeQue<T>();
        Then();
        Narrow(cos, Widened(cos, turns, angles), angles);
        Narrow(sin, Widened(sin, turns[t.tile * t.width], angles), angles);
        Then();
        inAngles.FreeTensor(turns);
        raw = in.template DeQue<T>();
        const Floats x = wide.template Get<float>();
        const Floats turned = x[t.tile * t.heads * t.width];
        const Floats sum = turned[t.tile * t.heads * t.width];
        Narrow(x, Widened(x, raw, elements), elements);
        Then();
        in.FreeTensor(raw);
        SignSines(sin, n);
        Turn(turned, x, sin, n);
        EachToken(sum, x, cos, n, 0, 0, t.width);
        Then();
        AscendC::LocalTensor<T> y = out.template AllocTensor<T>();
        AscendC::Add(sum, sum, turned, static_cast<int32_t>(elements));
        Then();
        Narrow(y, sum, elements);
        out.template EnQue<T>(y);
        y = out.template DeQue<T>();
        CopyElementsOut(yGm[token * t.heads * t.width], y, elements);
        out.FreeTensor(y);
    }

    /// The sines of what comes first are negated.
    __aicore__ inline void SignSines(const Floats& sin, uint32_t n) {
        if (t.neighbours != 0) {
            for (uint32_t i = 0; i < n * t.width; i += 255 * 64) {
                const uint32_t repeats = (n * t.width - i) / 64;
                const uint8_t times = repeats < 255 ? repeats : 255;
                if (times > 0) {
                    AscendC::Mul(sin[i],
                                 sin[i],
                                 sign.template Get<float>(),
                                 uint64_t{64},
                                 times,
                                 AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 0));
                }
                const uint32_t rest = n * t.width - i - times * 64;
                if (times < 255 && rest > 0) {
                    AscendC::Mul(sin[i + times * 64],
                                 sin[i + times * 64],
                                 sign.template Get<float>(),
                                 uint64_t{rest},
                                 uint8_t{1},
                                 AscendC::BinaryRepeatParams(1, 1, 1, 8, 8, 0));
                }
            }
        } else {
            for (uint32_t i = 0; i < n; ++i) {
                AscendC::Muls(sin[i * t.width], sin[i * t.width], -1.0f, static_cast<int32_t>(t.width / 2));
            }
        }
        Then();
    }

    /// turned = x with halves or neighbours swapped, times the sines.
    __aicore__ inline void Turn(const Floats& turned, const Floats& x, const Floats& sin, uint32_t n) {
        if (t.neighbours != 0) {
            AscendC::Gather(turned, x, swap.template Get<uint32_t>(), 0, n * t.heads * t.width);
            Then();
            EachToken(turned, turned, sin, n, 0, 0, t.width);
        } else {
            const uint32_t half_of = t.width / 2;
            EachToken(turned, x[half_of], sin, n, 0, 0, half_of);
            EachToken(turned, x, sin, n, half_of, half_of, half_of);
        }
        Then();
    }

    /// to[i, h, c + to_at] = from[i, h, c] angle[i, c + at], for `count` columns c.
    __aicore__ inline void EachToken(const Floats& to,
                                     const Floats& from,
                                     const Floats& angle,
                                     uint32_t n,
                                     uint32_t to_at,
                                     uint32_t at,
                                     uint32_t count) {
        if (t.heads == 1) {  // rows of angles beside rows of x
            for (uint32_t i = 0; i < n; i += 240) {
                const uint32_t rows = n - i < 240 ? n - i : 240;
                RowsWithRight<RowMul>(to[i * t.width + to_at],
                                      from[i * t.width],
                                      angle[i * t.width + at],
                                      {rows, count, t.width},
                                      t.width / 8,
                                      true);
            }
            return;
        }
        for (uint32_t i = 0; i < n; ++i) {
            const uint32_t row = i * t.heads * t.width;
            RowsWithWeights<RowMul>(
                to[row + to_at], from[row], angle[i * t.width + at], {t.heads, count, t.width});
        }
    }

    RotaryTiling t;
    AscendC::GlobalTensor<T> xGm, cosGm, sinGm, yGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> in, inAngles;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> out;
    AscendC::TBuf<AscendC::TPosition::VECCALC> wide, wideAngles, swap, sign;
};
