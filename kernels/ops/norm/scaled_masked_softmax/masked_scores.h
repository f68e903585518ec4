// SPDX-License-Identifier: Apache-2.0
// Scores of a softmax that are scaled and masked: x * scale, or `hidden` where a byte of the mask is not
// zero.
#pragma once

#include "kernels/shared/row_kernel.h"

/// x is (batches, heads, queries, width); the mask has one batch or head for all, or as many.
struct MaskTiling {
    uint64_t heads;
    uint64_t queries;
    uint64_t mask_batches;
    uint64_t mask_heads;
    float scale;
    float hidden;
};

template <typename T>
class MaskedScores {
public:
    __aicore__ inline MaskedScores(GM_ADDR mask, const MaskTiling& tiling) : m(tiling) {
        maskGm.SetGlobalBuffer((__gm__ uint8_t*)mask);
    }

    __aicore__ inline void Init(AscendC::TPipe& pipe, const RowTiling& tiling) {
        width = tiling.width;
        const uint32_t elements = Lanes(tiling.tile * tiling.pitch);
        pipe.InitBuffer(inMask, tiling.buffers, elements);
        pipe.InitBuffer(halves, elements * sizeof(half));
        pipe.InitBuffer(bits, elements / 8);
    }

    // (rows, width) GM -> UB: rows of one head lie together, those of the next head or batch where its mask
    // is.
    __aicore__ inline void Fetch(uint64_t row, uint32_t rows) {
        AscendC::LocalTensor<uint8_t> mask = inMask.template AllocTensor<uint8_t>();
        for (uint32_t done = 0; done < rows;) {
            const uint64_t query = (row + done) % m.queries;
            const uint64_t head = (row + done) / m.queries;
            const uint64_t from =
                (head / m.heads % m.mask_batches * m.mask_heads + head % m.heads % m.mask_heads) * m.queries +
                query;
            const uint32_t count = m.queries - query < rows - done ? m.queries - query : rows - done;
            AscendC::DataCopy(mask[done * width], maskGm[from * width], count * width);
            done += count;
        }
        inMask.EnQue(mask);
    }

    __aicore__ inline AscendC::LocalTensor<float> Of(const AscendC::LocalTensor<float>& wide,
                                                     const AscendC::LocalTensor<T>& x,
                                                     uint32_t count) {
        AscendC::LocalTensor<uint8_t> mask = inMask.template DeQue<uint8_t>();
        const AscendC::LocalTensor<half> as_half = halves.template Get<half>();
        const AscendC::LocalTensor<uint8_t> seen = bits.template Get<uint8_t>();
        AscendC::Cast(as_half, mask, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Muls(wide, Widened(wide, x, count), m.scale, static_cast<int32_t>(count));
        AscendC::PipeBarrier<PIPE_V>();
        inMask.FreeTensor(mask);
        AscendC::CompareScalar(seen, as_half, static_cast<half>(0.0f), AscendC::CMPMODE::EQ, Lanes(count));
        AscendC::PipeBarrier<PIPE_V>();
        AscendC::Select(wide, seen, wide, m.hidden, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
        AscendC::PipeBarrier<PIPE_V>();
        return wide;
    }

private:
    // Comparisons take whole repeats of halves.
    static __aicore__ inline uint32_t Lanes(uint32_t count) { return (count + 127) / 128 * 128; }

    MaskTiling m;
    uint32_t width = 0;
    AscendC::GlobalTensor<uint8_t> maskGm;
    AscendC::TQue<AscendC::TPosition::VECIN, 1> inMask;  // (tile, pitch)
    AscendC::TBuf<AscendC::TPosition::VECCALC> halves, bits;
};
