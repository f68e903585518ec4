// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding of queries and keys together as the operator library does it (ops-transformer,
// posembedding/apply_rotary_pos_emb, layout BSND): the heads of some tokens lie side by side, queries before
// keys, and their halves are swapped by copies within the unified buffer. bfloat16 is computed in float,
// float16 as it is.
#pragma once

#include "kernel_operator.h"

struct ApplyRotaryTiling {
    uint32_t tokens;
    uint32_t queries;  // heads
    uint32_t keys;     // heads
    uint32_t share;    // tokens of a core
    uint32_t tile;     // tokens at a time
    uint32_t buffers;  // 1: a core has one token, 2: copies in and arithmetic overlap
};

struct ApplyRotaryAddresses {
    GM_ADDR query;
    GM_ADDR key;
    GM_ADDR cos;
    GM_ADDR sin;
    GM_ADDR query_out;
    GM_ADDR key_out;
};

template <typename T>
class ApplyRotary {
    using Wide = std::conditional_t<std::is_same_v<T, bfloat16_t>, float, T>;
    using Row = AscendC::LocalTensor<Wide>;
    static constexpr bool widens = !std::is_same_v<T, Wide>;
    static constexpr uint32_t width = 128;  // the only one that the operator takes
    static constexpr uint32_t half_width = width / 2;
    static constexpr uint32_t block = 32;  // B

public:
    __aicore__ inline ApplyRotary(const ApplyRotaryAddresses& a, const ApplyRotaryTiling& tiling)
        : t(tiling) {
        heads = t.queries + t.keys;
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.tokens ? 0 : t.tokens - first < t.share ? t.tokens - first : t.share;
        const uint64_t tokens = t.tokens;
        queryGm.SetGlobalBuffer((__gm__ T*)a.query, tokens * t.queries * width);
        keyGm.SetGlobalBuffer((__gm__ T*)a.key, tokens * t.keys * width);
        cosGm.SetGlobalBuffer((__gm__ T*)a.cos, tokens * width);
        sinGm.SetGlobalBuffer((__gm__ T*)a.sin, tokens * width);
        queryOutGm.SetGlobalBuffer((__gm__ T*)a.query_out, tokens * t.queries * width);
        keyOutGm.SetGlobalBuffer((__gm__ T*)a.key_out, tokens * t.keys * width);
        const uint32_t angles = t.tile * width;
        const uint32_t all = t.tile * heads * width * sizeof(Wide);
        pipe.InitBuffer(inCos, t.buffers, angles * sizeof(T));
        pipe.InitBuffer(inX, t.buffers, all);
        pipe.InitBuffer(inSin, t.buffers, angles * sizeof(T));
        pipe.InitBuffer(left, all);
        pipe.InitBuffer(outY, 1, all);
        pipe.InitBuffer(right, all);
        if constexpr (widens) {
            pipe.InitBuffer(wideCos, angles * sizeof(Wide));
            pipe.InitBuffer(wideSin, angles * sizeof(Wide));
        }
    }

    __aicore__ inline void Process() {
        for (uint32_t at = 0; at < count; at += t.tile) {
            const uint32_t n = count - at < t.tile ? count - at : t.tile;
            CopyIn(first + at, n);
            AscendC::LocalTensor<T> y = Compute(n);
            CopyOut(first + at, n, y);
        }
    }

private:
    // Heads of queries and keys alternate in the unified buffer, token by token.
    __aicore__ inline void CopyIn(uint32_t token, uint32_t n) {
        const AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
        const AscendC::LocalTensor<T> cos = inCos.template AllocTensor<T>();
        const AscendC::LocalTensor<T> sin = inSin.template AllocTensor<T>();
        const uint64_t at = token;
        const auto q = static_cast<uint16_t>(t.queries * width * sizeof(T) / block);
        const auto k = static_cast<uint16_t>(t.keys * width * sizeof(T) / block);
        const auto tokens = static_cast<uint16_t>(n);
        AscendC::DataCopy(cos, cosGm[at * width], n * width);
        AscendC::DataCopy(sin, sinGm[at * width], n * width);
        AscendC::DataCopy(x, queryGm[at * t.queries * width], {tokens, q, 0, k});
        AscendC::DataCopy(x[t.queries * width], keyGm[at * t.keys * width], {tokens, k, 0, q});
        inX.EnQue(x);
        inCos.EnQue(cos);
        inSin.EnQue(sin);
    }

    __aicore__ inline AscendC::LocalTensor<T> Compute(uint32_t n) {
        AscendC::LocalTensor<T> x = inX.template DeQue<T>();
        AscendC::LocalTensor<T> cos = inCos.template DeQue<T>();
        AscendC::LocalTensor<T> sin = inSin.template DeQue<T>();
        const AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        const uint32_t all = n * heads * width;
        const Row swapped = y.template ReinterpretCast<Wide>();
        const Row by_sin = left.template Get<Wide>();
        const Row by_cos = right.template Get<Wide>();
        Row wide_x, c, s;
        if constexpr (widens) {
            wide_x = by_cos;
            c = wideCos.template Get<Wide>();
            s = wideSin.template Get<Wide>();
            AscendC::Cast(wide_x, x, AscendC::RoundMode::CAST_NONE, all);
            AscendC::Cast(c, cos, AscendC::RoundMode::CAST_NONE, n * width);
            AscendC::Cast(s, sin, AscendC::RoundMode::CAST_NONE, n * width);
            AscendC::PipeBarrier<PIPE_V>();
        } else {
            wide_x = x;
            c = cos;
            s = sin;
        }
        Negate(s, n);
        Swap(swapped, wide_x, n);
        AscendC::PipeBarrier<PIPE_V>();
        Turn(by_sin, swapped, s, n);
        // What was x takes the products with the cosines.
        const Row products = widens ? x.template ReinterpretCast<Wide>() : by_cos;
        Turn(products, wide_x, c, n);
        AscendC::PipeBarrier<PIPE_V>();
        if constexpr (widens) {
            AscendC::Add(by_cos, by_sin, products, all);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, by_cos, AscendC::RoundMode::CAST_ROUND, all);
        } else {
            AscendC::Add(y, by_sin, products, all);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inX.FreeTensor(x);
        inCos.FreeTensor(cos);
        inSin.FreeTensor(sin);
        outY.EnQue(y);
        return outY.template DeQue<T>();
    }

    /// The first half of each token's sines.
    __aicore__ inline void Negate(const Row& s, uint32_t n) const {
        constexpr uint8_t pitch = width * sizeof(Wide) / block;
        AscendC::Muls(s,
                      s,
                      static_cast<Wide>(-1.0f),
                      uint64_t{half_width},
                      static_cast<uint8_t>(n),
                      AscendC::UnaryRepeatParams(1, 1, pitch, pitch));
    }

    /// The halves of every head, by two copies.
    __aicore__ inline void Swap(const Row& to, const Row& from, uint32_t n) const {
        constexpr uint16_t length = half_width * sizeof(Wide) / block;
        const AscendC::DataCopyParams halves(static_cast<uint16_t>(n * heads), length, length, length);
        AscendC::DataCopy(to, from[half_width], halves);
        AscendC::DataCopy(to[half_width], from, halves);
    }

    /// to = x * angles: a token's heads by an instruction for each vector of a head, or a head of all tokens
    /// where there are more of these.
    __aicore__ inline void Turn(const Row& to, const Row& x, const Row& angles, uint32_t n) const {
        constexpr uint32_t lanes = 256 / sizeof(Wide);
        constexpr uint8_t head = width * sizeof(Wide) / block;
        const bool by_token = heads >= n;
        const uint32_t outer = by_token ? n : heads;
        const uint8_t repeats = by_token ? heads : n;
        const uint8_t pitch = by_token ? head : heads * head;
        const AscendC::BinaryRepeatParams params(1, 1, 1, pitch, pitch, by_token ? 0 : head);
        for (uint32_t i = 0; i < outer; ++i) {
            const uint32_t at = by_token ? i * heads * width : i * width;
            for (uint32_t column = 0; column < width; column += lanes) {
                AscendC::Mul(to[at + column],
                             x[at + column],
                             angles[(by_token ? i * width : 0) + column],
                             uint64_t{lanes},
                             repeats,
                             params);
            }
        }
    }

    __aicore__ inline void CopyOut(uint32_t token, uint32_t n, AscendC::LocalTensor<T>& y) {
        const uint64_t at = token;
        const auto q = static_cast<uint16_t>(t.queries * width * sizeof(T) / block);
        const auto k = static_cast<uint16_t>(t.keys * width * sizeof(T) / block);
        const auto tokens = static_cast<uint16_t>(n);
        AscendC::DataCopy(queryOutGm[at * t.queries * width], y, {tokens, q, k, 0});
        AscendC::DataCopy(keyOutGm[at * t.keys * width], y[t.queries * width], {tokens, k, q, 0});
        outY.FreeTensor(y);
    }

    ApplyRotaryTiling t;
    uint32_t heads, first, count;
    AscendC::GlobalTensor<T> queryGm, keyGm, cosGm, sinGm, queryOutGm, keyOutGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> inX, inCos, inSin;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> left, right, wideCos, wideSin;
};
