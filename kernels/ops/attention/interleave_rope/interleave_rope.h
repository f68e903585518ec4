// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of neighbours as the operator library does it (ops-transformer,
// posembedding/interleave_rope, angles for each token): token by token through one buffer each. Each pair
// (x[2i], x[2i + 1]) is turned and taken apart: the first elements of all come first.
#pragma once

#include "kernel_operator.h"

struct InterleaveRopeTiling {
    uint32_t tokens;
    uint32_t heads;
    uint32_t share;    // tokens of a core; heads of a core where `by_head`
    uint32_t tile;     // heads at a time
    uint32_t by_head;  // 1: cores share the heads, and each has all tokens
};

template <typename T>
class InterleaveRope {
    using Floats = AscendC::LocalTensor<float>;
    static constexpr uint32_t width = 64;  // the only one that the operator takes
    static constexpr uint32_t half_width = width / 2;

public:
    __aicore__ inline InterleaveRope(GM_ADDR x,
                                     GM_ADDR cos,
                                     GM_ADDR sin,
                                     GM_ADDR y,
                                     const InterleaveRopeTiling& tiling,
                                     AscendC::TPipe& pipe)
        : t(tiling) {
        const uint64_t elements = static_cast<uint64_t>(t.tokens) * t.heads * width;
        xGm.SetGlobalBuffer((__gm__ T*)x, elements);
        yGm.SetGlobalBuffer((__gm__ T*)y, elements);
        cosGm.SetGlobalBuffer((__gm__ T*)cos, static_cast<uint64_t>(t.tokens) * width);
        sinGm.SetGlobalBuffer((__gm__ T*)sin, static_cast<uint64_t>(t.tokens) * width);
        constexpr uint32_t floats = width * sizeof(float);
        pipe.InitBuffer(inX, 1, t.tile * width * sizeof(T));
        pipe.InitBuffer(outY, 1, t.tile * floats * 2);
        pipe.InitBuffer(inCos, 1, floats * 2);
        pipe.InitBuffer(inSin, 1, floats * 2);
        pipe.InitBuffer(firsts, t.tile * floats);
        pipe.InitBuffer(seconds, t.tile * floats);
        pipe.InitBuffer(turned, t.tile * floats * 2);
    }

    __aicore__ inline void Process() {
        const uint32_t first = t.share * AscendC::GetBlockIdx();
        const uint32_t all = t.by_head != 0 ? t.heads : t.tokens;
        const uint32_t count = all - first < t.share ? all - first : t.share;
        // Halves() reads what lies behind, too.
        AscendC::Duplicate(firsts.template Get<float>(), 0.0f, t.tile * width);
        AscendC::Duplicate(seconds.template Get<float>(), 0.0f, t.tile * width);
        AscendC::PipeBarrier<PIPE_V>();
        if (t.by_head != 0) {
            for (uint32_t token = 0; token < t.tokens; ++token) {
                Token(token, first, count);
            }
            return;
        }
        for (uint32_t token = first; token < first + count; ++token) {
            Token(token, 0, t.heads);
        }
    }

private:
    using In = AscendC::TQue<AscendC::TPosition::VECIN, 1>;

    /// A token's angles as floats; they come behind where they go.
    __aicore__ inline Floats Angles(In& queue, const AscendC::GlobalTensor<T>& from, uint32_t token) {
        Floats to = queue.template AllocTensor<float>();
        AscendC::DataCopy(
            to[width].template ReinterpretCast<T>(), from[static_cast<uint64_t>(token) * width], width);
        queue.EnQue(to);
        to = queue.template DeQue<float>();
        AscendC::Cast(to, to[width].template ReinterpretCast<T>(), AscendC::RoundMode::CAST_NONE, width);
        return to;
    }

    __aicore__ inline void Token(uint32_t token, uint32_t first, uint32_t count) {
        Floats cos = Angles(inCos, cosGm, token);
        Floats sin = Angles(inSin, sinGm, token);
        AscendC::PipeBarrier<PIPE_V>();
        for (uint32_t at = 0; at < count; at += t.tile) {
            const uint32_t heads = count - at < t.tile ? count - at : t.tile;
            Heads((static_cast<uint64_t>(token) * t.heads + first + at) * width, heads, cos, sin);
        }
        inCos.FreeTensor(cos);
        inSin.FreeTensor(sin);
    }

    __aicore__ inline void Heads(uint64_t at, uint32_t heads, const Floats& cos, const Floats& sin) {
        AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        AscendC::DataCopy(x, xGm[at], heads * width);
        inX.EnQue(x);
        x = inX.template DeQue<T>();
        const Floats real = firsts.template Get<float>();
        const Floats imaginary = seconds.template Get<float>();
        Split(real, x, uint8_t{1}, heads);
        Split(imaginary, x, uint8_t{2}, heads);
        AscendC::PipeBarrier<PIPE_V>();
        Widen(real, heads);
        Widen(imaginary, heads);
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        Floats y = outY.template AllocTensor<float>();
        const Floats other = turned.template Get<float>();
        Halves(y, real, imaginary, cos, heads);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(imaginary, imaginary, -1.0f, heads * half_width);
        AscendC::PipeBarrier<PIPE_V>();
        Halves(other, imaginary, real, sin, heads);
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Add(y, y, other, heads * width);
        AscendC::PipeBarrier<PIPE_V>();
        const AscendC::LocalTensor<T> narrow = y[t.tile * width].template ReinterpretCast<T>();
        AscendC::Cast(narrow, y, AscendC::RoundMode::CAST_RINT, heads * width);
        AscendC::PipeBarrier<PIPE_V>();
        outY.EnQue(y);
        y = outY.template DeQue<float>();
        AscendC::DataCopy(yGm[at], narrow, heads * width);
        outY.FreeTensor(y);
    }

    /// Every other element, behind the floats that they become.
    __aicore__ inline void Split(const Floats& to,
                                 const AscendC::LocalTensor<T>& from,
                                 uint8_t pattern,
                                 uint32_t heads) const {
        uint64_t kept = 0;
        AscendC::GatherMask(to[t.tile * half_width].template ReinterpretCast<T>(),
                            from,
                            pattern,
                            true,
                            heads * width,
                            {1, 1, 8, 0},
                            kept);
        AscendC::ResetMask();
    }

    __aicore__ inline void Widen(const Floats& row, uint32_t heads) const {
        AscendC::Cast(row,
                      row[t.tile * half_width].template ReinterpretCast<T>(),
                      AscendC::RoundMode::CAST_NONE,
                      heads * half_width);
    }

    /// to = (left | right) * angles, head by head. The operator repeats it for twice as many heads as there
    /// are; what comes of the others is of no use.
    __aicore__ inline void Halves(const Floats& to,
                                  const Floats& left,
                                  const Floats& right,
                                  const Floats& angles,
                                  uint32_t heads) const {
        const uint64_t lanes[2]{0xffffffff, 0};
        const AscendC::BinaryRepeatParams head(1, 1, 1, 8, 4, 0);
        const auto repeats = static_cast<uint8_t>(2 * heads);
        AscendC::Mul(to, left, angles, lanes, repeats, head);
        AscendC::Mul(to[half_width], right, angles[half_width], lanes, repeats, head);
    }

    InterleaveRopeTiling t;
    AscendC::GlobalTensor<T> xGm, cosGm, sinGm, yGm;
    In inX, inCos, inSin;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> firsts, seconds, turned;
};
