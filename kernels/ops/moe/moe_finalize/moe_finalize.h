// SPDX-License-Identifier: Apache-2.0
// The way back from the experts: for each token, the rows its experts made, with bias, weighed and added up,
// onto up to two rows of the token's own. The arithmetic is in float.
#pragma once

#include "kernels/shared/order.h"
#include "kernels/shared/row_kernel.h"

struct MoeFinalizeTiling {
    uint64_t tokens;
    uint64_t share;      // tokens of a core
    uint32_t k;          // experts of a token
    uint32_t width;      // elements of a row
    uint32_t pitch;      // whole blocks of 32 B
    uint32_t tile;       // tokens whose indices are fetched at a time
    uint32_t skips;      // rows of the token's own: 0 to 2
    uint32_t bias;       // 1: a row for each expert
    uint32_t scaled;     // 1: a factor for each token and expert
    uint32_t by_expert;  // 1: indices lie by (expert of a token, token); 0: by (token, expert)
    uint32_t library;    // 1: the operator library's order
};

template <typename T>
class MoeFinalize {
public:
    using Floats = AscendC::LocalTensor<float>;

    __aicore__ inline MoeFinalize(GM_ADDR x,
                                  GM_ADDR index,
                                  GM_ADDR skip0,
                                  GM_ADDR skip1,
                                  GM_ADDR bias,
                                  GM_ADDR scale,
                                  GM_ADDR expert,
                                  GM_ADDR y,
                                  const MoeFinalizeTiling& tiling)
        : t(tiling) {
        first = t.share * AscendC::GetBlockIdx();
        count = first >= t.tokens ? 0 : t.tokens - first < t.share ? t.tokens - first : t.share;
        xGm.SetGlobalBuffer((__gm__ T*)x);
        skipGm[0].SetGlobalBuffer((__gm__ T*)skip0);
        skipGm[1].SetGlobalBuffer((__gm__ T*)skip1);
        biasGm.SetGlobalBuffer((__gm__ T*)bias);
        scaleGm.SetGlobalBuffer((__gm__ T*)scale);
        yGm.SetGlobalBuffer((__gm__ T*)y);
        indexGm.SetGlobalBuffer((__gm__ int32_t*)index);
        expertGm.SetGlobalBuffer((__gm__ int32_t*)expert);
        const uint32_t list = (t.tile * t.k + 7) / 8 * 8 + 8;
        pipe.InitBuffer(inLists, 1, 2 * list * sizeof(int32_t) + (list + 16) * sizeof(T));
        pipe.InitBuffer(factors, (list + 16) * sizeof(float));
        pipe.InitBuffer(inRow, 2, 2 * t.pitch * sizeof(T));
        pipe.InitBuffer(outRow, 2, t.pitch * sizeof(T));
        pipe.InitBuffer(sum, t.pitch * sizeof(float));
        pipe.InitBuffer(row, t.pitch * sizeof(float));
        pipe.InitBuffer(other, t.pitch * sizeof(float));
        list_elements = list;
    }

    __aicore__ inline void Process() {
        for (uint64_t at = 0; at < count; at += t.tile) {
            const uint32_t tokens = count - at < t.tile ? count - at : t.tile;
            AscendC::LocalTensor<int32_t> lists = FetchLists(first + at, tokens);
            for (uint32_t i = 0; i < tokens; ++i) {
                Token(first + at + i, lists, i * t.k);
            }
            inLists.FreeTensor(lists);
        }
    }

private:
    /// Indices, experts and factors of some tokens; the factors as floats, where the scalar unit reads them.
    __aicore__ inline AscendC::LocalTensor<int32_t> FetchLists(uint64_t token, uint32_t tokens) {
        AscendC::LocalTensor<int32_t> lists = inLists.template AllocTensor<int32_t>();
        const uint32_t n = tokens * t.k;
        CopyElementsIn(lists, indexGm[token * t.k], n);
        if (t.bias != 0) {
            CopyElementsIn(lists[list_elements], expertGm[token * t.k], n);
        }
        const AscendC::LocalTensor<T> raw = lists[2 * list_elements].template ReinterpretCast<T>();
        if (t.scaled != 0) {
            CopyElementsIn(raw, scaleGm[token * t.k], n);
        }
        inLists.EnQue(lists);
        lists = inLists.template DeQue<int32_t>();
        if (t.scaled != 0) {
            AscendC::PipeBarrier<PIPE_V>();
            Widen(factors.template Get<float>(), raw, n);
        }
        Order<AscendC::HardEvent::V_S>(pipe);
        return lists;
    }

    __aicore__ inline void Widen(const Floats& to, const AscendC::LocalTensor<T>& from, uint32_t n) const {
        if constexpr (std::is_same_v<T, float>) {
            AscendC::Adds(to, from, 0.0f, n);
        } else {
            AscendC::Cast(to, from, AscendC::RoundMode::CAST_NONE, n);
        }
    }

    /// One row, or two, on their way in.
    __aicore__ inline void Fetch(const AscendC::GlobalTensor<T>& a,
                                 uint64_t at,
                                 bool two,
                                 const AscendC::GlobalTensor<T>& b,
                                 uint64_t second) {
        AscendC::LocalTensor<T> x = inRow.template AllocTensor<T>();
        CopyElementsIn(x, a[at * t.width], t.width);
        if (two) {
            CopyElementsIn(x[t.pitch], b[second * t.width], t.width);
        }
        inRow.EnQue(x);
    }

    __aicore__ inline void Token(uint64_t token, const AscendC::LocalTensor<int32_t>& lists, uint32_t list) {
        const Floats all = sum.template Get<float>();
        AscendC::PipeBarrier<PIPE_V>();
        if (t.skips > 0) {
            Fetch(skipGm[0], token, t.skips > 1, skipGm[1], token);
            AscendC::LocalTensor<T> x = inRow.template DeQue<T>();
            Widen(all, x, t.width);
            if (t.skips > 1) {
                Widen(other.template Get<float>(), x[t.pitch], t.width);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(all, all, other.template Get<float>(), t.width);
            }
            inRow.FreeTensor(x);
        } else {
            AscendC::Duplicate(all, 0.0f, t.width);
        }
        for (uint32_t j = 0; j < t.k; ++j) {
            Expert(all, lists, list + j);
        }
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::LocalTensor<T> y = outRow.template AllocTensor<T>();
        Narrow(y, all, t.width);
        outRow.template EnQue<T>(y);
        y = outRow.template DeQue<T>();
        CopyElementsOut(yGm[token * t.width], y, t.width);
        outRow.FreeTensor(y);
    }

    __aicore__ inline void Expert(const Floats& all,
                                  const AscendC::LocalTensor<int32_t>& lists,
                                  uint32_t at) {
        const Floats made = row.template Get<float>();
        const uint64_t expert = t.bias != 0 ? lists.GetValue(list_elements + at) : 0;
        Fetch(xGm, lists.GetValue(at), t.bias != 0, biasGm, expert);
        AscendC::LocalTensor<T> x = inRow.template DeQue<T>();
        AscendC::PipeBarrier<PIPE_V>();
        Widen(made, x, t.width);
        if (t.bias != 0) {
            Widen(other.template Get<float>(), x[t.pitch], t.width);
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(made, made, other.template Get<float>(), t.width);
        }
        AscendC::PipeBarrier<PIPE_V>();
        inRow.FreeTensor(x);
        if (t.scaled != 0) {
            AscendC::Muls(made, made, factors.template Get<float>().GetValue(at), t.width);
            AscendC::PipeBarrier<PIPE_V>();
        }
        AscendC::Add(all, all, made, t.width);
    }

    MoeFinalizeTiling t;
    uint64_t first, count;
    uint32_t list_elements;
    AscendC::GlobalTensor<T> xGm, skipGm[2], biasGm, scaleGm, yGm;
    AscendC::GlobalTensor<int32_t> indexGm, expertGm;
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inLists, inRow;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outRow;
    AscendC::TBuf<AscendC::TPosition::VECCALC> factors, sum, row, other;
};
