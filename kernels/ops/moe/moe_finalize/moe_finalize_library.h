// SPDX-License-Identifier: Apache-2.0
// The way back from the experts in the order of the operator library's kernels (ops-transformer,
// moe/moe_finalize_routing_v2, "all bias"): all indices of a core first, tokens' own rows by the tile, and
// the experts' rows two at a time. The scalar unit reads each index and factor when the row before last has
// been weighed, so that at most two rows are on their way. The arithmetic is in the tensor's type, that of
// bfloat16 in float.
#pragma once

#include "kernels/ops/moe/moe_finalize/moe_finalize.h"

/// The size of the library's tiling, which its kernel copies from global memory before anything else.
struct MoeFinalizeLibraryTiling {
    int64_t words[25];
};

template <typename T>
class MoeFinalizeLibrary {
    template <typename E>
    using Local = AscendC::LocalTensor<E>;
    using Event = AscendC::HardEvent;

    static constexpr bool widens = std::is_same_v<T, bfloat16_t>;
    using Sum = std::conditional_t<widens, float, T>;

public:
    __aicore__ inline MoeFinalizeLibrary(GM_ADDR x,
                                         GM_ADDR index,
                                         GM_ADDR skip0,
                                         GM_ADDR skip1,
                                         GM_ADDR bias,
                                         GM_ADDR scale,
                                         GM_ADDR expert,
                                         GM_ADDR y,
                                         GM_ADDR words,
                                         const MoeFinalizeTiling& tiling)
        : t(tiling) {
        GET_TILING_DATA_WITH_STRUCT(MoeFinalizeLibraryTiling, copied, words);
        static_cast<void>(copied);
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
        const uint32_t rows = t.tile * t.pitch * static_cast<uint32_t>(sizeof(T));
        pipe.InitBuffer(inSkip[0], 1, rows);
        if (t.skips > 1) {
            pipe.InitBuffer(inSkip[1], 1, rows);
        }
        if (t.scaled != 0) {
            pipe.InitBuffer(inScale, 1, t.tile * Padded<T>(t.k) * sizeof(T));
        }
        if (t.bias != 0) {
            pipe.InitBuffer(inExpert, 1, t.tile * Padded<int32_t>(t.k) * sizeof(int32_t));
        }
        pipe.InitBuffer(outY, 1, rows);
        for (uint32_t slot = 0; slot < 2; ++slot) {
            pipe.InitBuffer(row[slot], t.pitch * sizeof(T));
            if (t.bias != 0) {
                pipe.InitBuffer(biasRow[slot], t.pitch * sizeof(T));
            }
            if (widens || slot == 1) {
                pipe.InitBuffer(made[slot], t.pitch * sizeof(Sum));
            }
            if (widens && t.bias != 0) {
                pipe.InitBuffer(wideBias[slot], t.pitch * sizeof(float));
            }
        }
        if constexpr (widens) {
            pipe.InitBuffer(wideSum[0], t.tile * t.pitch * sizeof(float));
            pipe.InitBuffer(wideSum[1], t.skips > 1 ? t.tile * t.pitch * sizeof(float) : 32);
        }
        pipe.InitBuffer(indices, Padded<int32_t>(t.share) * t.k * sizeof(int32_t));
    }

    __aicore__ inline void Process() {
        if (count == 0) {
            return;
        }
        FetchIndices();
        for (uint64_t at = 0; at < count; at += t.tile) {
            const uint32_t tokens = count - at < t.tile ? count - at : t.tile;
            CopyIn(first + at, tokens);
            Compute(at, tokens);
            CopyOut(first + at, tokens);
        }
    }

private:
    /// Elements up to the next whole block of 32 B.
    template <typename E>
    __aicore__ inline uint32_t Padded(uint64_t n) const {
        constexpr uint32_t block = 32 / sizeof(E);
        return (n + block - 1) / block * block;
    }

    /// (rows, width) GM -> (rows, width in whole blocks) UB, with `gap` bytes between the rows in GM.
    template <typename E>
    __aicore__ inline void Rows(const Local<E>& to,
                                const AscendC::GlobalTensor<E>& from,
                                uint32_t rows,
                                uint64_t width,
                                uint32_t gap = 0) const {
        const uint32_t pad = Padded<E>(width) - width;
        AscendC::DataCopyPad(
            to,
            from,
            {static_cast<uint16_t>(rows), static_cast<uint32_t>(width * sizeof(E)), gap, 0, 0},
            AscendC::DataCopyPadExtParams<E>{pad != 0, 0, static_cast<uint8_t>(pad), static_cast<E>(0)});
    }

    __aicore__ inline void FetchIndices() {
        const Local<int32_t> to = indices.template Get<int32_t>();
        if (t.by_expert != 0) {
            const auto gap = static_cast<uint32_t>((t.tokens - count) * sizeof(int32_t));
            Rows<int32_t>(to, indexGm[first], t.k, count, gap);
        } else {
            Rows<int32_t>(to, indexGm[first * t.k], 1, count * t.k);
        }
    }

    __aicore__ inline void CopyIn(uint64_t token, uint32_t tokens) {
        for (uint32_t i = 0; i < t.skips; ++i) {
            Local<T> x = inSkip[i].template AllocTensor<T>();
            Rows<T>(x, skipGm[i][token * t.width], tokens, t.width);
            inSkip[i].EnQue(x);
        }
        if (t.scaled != 0) {
            Local<T> x = inScale.template AllocTensor<T>();
            Rows<T>(x, scaleGm[token * t.k], tokens, t.k);
            inScale.EnQue(x);
        }
        if (t.bias != 0) {
            Local<int32_t> x = inExpert.template AllocTensor<int32_t>();
            Rows<int32_t>(x, expertGm[token * t.k], tokens, t.k);
            inExpert.EnQue(x);
        }
        AscendC::SetFlag<Event::MTE2_S>(EVENT_ID0);
    }

    /// The tokens' own rows, added up, into the sum.
    __aicore__ inline void Start(uint32_t tokens) {
        const uint32_t n = tokens * t.pitch;
        for (uint32_t i = 0; i < t.skips; ++i) {
            skip[i] = inSkip[i].template DeQue<T>();
        }
        if (t.skips == 0) {
            if constexpr (!widens) {
                skip[0] = inSkip[0].template AllocTensor<T>();
            }
            return;
        }
        if constexpr (widens) {
            for (uint32_t i = 0; i < t.skips; ++i) {
                AscendC::Cast(wideSum[i].template Get<float>(), skip[i], AscendC::RoundMode::CAST_NONE, n);
                AscendC::PipeBarrier<PIPE_V>();
            }
            AddSkips(wideSum[0].template Get<float>(), wideSum[1].template Get<float>(), n);
        } else {
            AddSkips(skip[0], skip[1], n);
        }
    }

    __aicore__ inline void AddSkips(const Local<Sum>& a, const Local<Sum>& b, uint32_t n) {
        if (t.skips > 1) {
            AscendC::Add(sum, a, b, n);
        } else {
            AscendC::Adds(sum, a, static_cast<Sum>(0), n);
        }
    }

    __aicore__ inline void Compute(uint64_t at, uint32_t tokens) {
        Local<T> y = outY.template AllocTensor<T>();
        if constexpr (widens) {
            sum = wideSum[0].template Get<float>();
        } else {
            sum = y;
        }
        if (t.scaled != 0) {
            scales = inScale.template DeQue<T>();
        }
        Start(tokens);
        if (t.bias != 0) {
            experts = inExpert.template DeQue<int32_t>();
        }
        AscendC::WaitFlag<Event::MTE2_S>(EVENT_ID0);
        for (uint32_t slot = 0; slot < 2; ++slot) {
            AscendC::SetFlag<Event::V_S>(FreeRow(slot));
            AscendC::SetFlag<Event::V_S>(FreeFactor(slot));
        }
        for (uint32_t i = 0; i < tokens; ++i) {
            for (uint32_t j = 0; j < t.k; j += 2) {
                Begin(0, at + i, i, j);
                if (j + 1 < t.k) {
                    Begin(1, at + i, i, j + 1);
                }
                Finish(0, i, j == 0 && t.skips == 0);
                if (j + 1 < t.k) {
                    Finish(1, i, false);
                }
            }
        }
        for (uint32_t slot = 0; slot < 2; ++slot) {
            AscendC::WaitFlag<Event::V_S>(FreeRow(slot));
            AscendC::WaitFlag<Event::V_S>(FreeFactor(slot));
        }
        Close(y, tokens);
    }

    __aicore__ inline void Close(Local<T>& y, uint32_t tokens) {
        if constexpr (widens) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(y, sum, AscendC::RoundMode::CAST_RINT, tokens * t.pitch);
        }
        outY.EnQue(y);
        if (t.bias != 0) {
            inExpert.FreeTensor(experts);
        }
        if (t.scaled != 0) {
            inScale.FreeTensor(scales);
        }
        if (t.skips > 0 || !widens) {
            inSkip[0].FreeTensor(skip[0]);
        }
        if (t.skips > 1) {
            inSkip[1].FreeTensor(skip[1]);
        }
    }

    /// Reads where a row lies and lets it come.
    __aicore__ inline void Begin(uint32_t slot, uint64_t token, uint32_t local, uint32_t j) {
        AscendC::WaitFlag<Event::V_S>(FreeRow(slot));
        const uint64_t at = t.by_expert != 0 ? j * Padded<int32_t>(count) + token : token * t.k + j;
        const uint64_t from = indices.template Get<int32_t>().GetValue(at);
        AscendC::SetFlag<Event::S_MTE2>(FreeRow(slot));
        AscendC::WaitFlag<Event::V_S>(FreeFactor(slot));
        uint64_t expert = 0;
        if (t.bias != 0) {
            expert = experts.GetValue(local * Padded<int32_t>(t.k) + j);
        }
        if (t.scaled == 0) {
            factor[slot] = static_cast<Sum>(1.0f);
        } else if constexpr (widens) {
            factor[slot] = AscendC::ToFloat(scales.GetValue(local * Padded<T>(t.k) + j));
        } else {
            factor[slot] = scales.GetValue(local * Padded<T>(t.k) + j);
        }
        AscendC::SetFlag<Event::S_MTE2>(FreeFactor(slot));
        AscendC::WaitFlag<Event::S_MTE2>(FreeRow(slot));
        AscendC::WaitFlag<Event::S_MTE2>(FreeFactor(slot));
        Rows<T>(row[slot].template Get<T>(), xGm[from * t.width], 1, t.width);
        if (t.bias != 0) {
            Rows<T>(biasRow[slot].template Get<T>(), biasGm[expert * t.width], 1, t.width);
        }
        AscendC::SetFlag<Event::MTE2_V>(FreeRow(slot));
    }

    /// Where a slot's row is worked on: the first token's own row, which is in the sum already, or a buffer.
    __aicore__ inline Local<Sum> Made(uint32_t slot) {
        if constexpr (!widens) {
            if (slot == 0) {
                return skip[0];
            }
        }
        return made[slot].template Get<Sum>();
    }

    /// Adds the bias, weighs the row and adds it to the token's sum, or starts that sum with it.
    __aicore__ inline void Finish(uint32_t slot, uint32_t local, bool starts) {
        const Local<Sum> to = sum[local * t.pitch];
        const Local<Sum> x = Made(slot);
        AscendC::WaitFlag<Event::MTE2_V>(FreeRow(slot));
        WithBias(slot, x);
        AscendC::SetFlag<Event::V_S>(FreeRow(slot));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Muls(starts ? to : x, x, factor[slot], t.width);
        AscendC::SetFlag<Event::V_S>(FreeFactor(slot));
        if (!starts) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Add(to, to, x, t.width);
        }
    }

    __aicore__ inline void WithBias(uint32_t slot, const Local<Sum>& x) {
        const Local<T> from = row[slot].template Get<T>();
        if constexpr (widens) {
            AscendC::Cast(x, from, AscendC::RoundMode::CAST_NONE, t.width);
            if (t.bias != 0) {
                const Local<float> bias = wideBias[slot].template Get<float>();
                AscendC::Cast(bias, biasRow[slot].template Get<T>(), AscendC::RoundMode::CAST_NONE, t.width);
                AscendC::PipeBarrier<PIPE_V>();
                AscendC::Add(x, x, bias, t.width);
            }
        } else if (t.bias != 0) {
            AscendC::Add(x, from, biasRow[slot].template Get<T>(), t.width);
        } else {
            AscendC::Adds(x, from, static_cast<T>(0), t.width);
        }
    }

    __aicore__ inline void CopyOut(uint64_t token, uint32_t tokens) {
        const Local<T> y = outY.template DeQue<T>();
        AscendC::DataCopyPad(
            yGm[token * t.width],
            y,
            {static_cast<uint16_t>(tokens), static_cast<uint32_t>(t.width * sizeof(T)), 0, 0, 0});
        outY.FreeTensor(y);
    }

    /// The events that say a slot's row may be overwritten, and its factor.
    __aicore__ inline AscendC::TEventID FreeRow(uint32_t slot) const {
        return slot == 0 ? EVENT_ID0 : EVENT_ID1;
    }

    __aicore__ inline AscendC::TEventID FreeFactor(uint32_t slot) const {
        return slot == 0 ? EVENT_ID2 : EVENT_ID3;
    }

    MoeFinalizeTiling t;
    uint64_t first, count;
    Sum factor[2];
    AscendC::GlobalTensor<T> xGm, skipGm[2], biasGm, scaleGm, yGm;
    AscendC::GlobalTensor<int32_t> indexGm, expertGm;
    Local<T> skip[2], scales;
    Local<int32_t> experts;
    Local<Sum> sum;  // (tile, pitch)
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inSkip[2], inScale, inExpert;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> row[2], biasRow[2], made[2], wideBias[2], wideSum[2], indices;
};
