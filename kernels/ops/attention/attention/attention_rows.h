// SPDX-License-Identifier: Apache-2.0
// Row by row work of the vector cores of attention.cpp on blocks of fp32 in the unified buffer.
#pragma once

#include "kernels/ops/attention/attention/attention_steps.h"

namespace attention {

constexpr uint32_t lanes = 64;            // floats of a repeat
constexpr uint32_t row_block = 8;         // floats of a block
constexpr float lowest = -3.0e38F;        // below every score
constexpr float masked_score = -1.0e30F;  // far below any other, and finite

// Calls that set the mask make the vector unit empty itself first. So the mask is set here, all lanes between
// calls, and calls keep it.

/// Has the calls that follow work on the first `count` lanes of each repeat.
__aicore__ inline void FirstLanes(uint32_t count) {
    SetVectorMask<float>(static_cast<int32_t>(count));
}

/// call(offset, repeats) for `count` floats one after the other.
template <typename Call>
__aicore__ inline void ForLanes(uint32_t count, const Call& call) {
    constexpr uint32_t most = 255;
    const uint32_t whole = count / lanes;
    for (uint32_t done = 0; done < whole; done += most) {
        call(done * lanes, static_cast<uint8_t>(Smaller(most, whole - done)));
    }
    if (count % lanes != 0) {
        FirstLanes(count % lanes);
        call(whole * lanes, static_cast<uint8_t>(1));
        FirstLanes(lanes);
    }
}

/// Scratch for row operations: places of (rows, 64), `place` floats apart, and blocks (rows, 8).
struct RowScratch {
    LocalTensor<float> work;
    uint32_t place;
    LocalTensor<float> blocks;
};

/// A block of `rows` rows in the unified buffer, `pitch` floats apart, of which `columns` count.
struct RowBlock {
    LocalTensor<float> data;
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
};

/// Places of (rows, 64) that FoldRows needs for `columns`: groups of 64 are combined in pairs.
[[nodiscard]] constexpr uint32_t fold_places(uint32_t columns) {
    return columns >= 2 * lanes ? columns / lanes / 2 : 1;
}

/// work(rows, 64) = combine of each row's groups of 64, in a tree: what does not depend on each other shares
/// a barrier. Lanes that no column reaches hold `neutral`. `work` has fold_places(columns) places of `place`
/// floats.
template <typename Combine>
__aicore__ inline void FoldRows(const LocalTensor<float>& work,
                                uint32_t place,
                                const RowBlock& s,
                                float neutral,
                                const Combine& combine) {
    const auto pitch = static_cast<uint8_t>(s.pitch / row_block);
    const auto repeats = static_cast<uint8_t>(s.rows);
    const uint32_t whole = s.columns / lanes;
    uint32_t at = 0;
    if (whole >= 2) {
        const BinaryRepeatParams pairs(1, 1, 1, 8, pitch, pitch);
        for (uint32_t i = 0; i + 1 < whole; i += 2) {
            combine(work[i / 2 * place],
                    s.data[i * lanes],
                    s.data[(i + 1) * lanes],
                    MASK_PLACEHOLDER,
                    repeats,
                    pairs);
        }
        PipeBarrier<PIPE_V>();
        const BinaryRepeatParams dense(1, 1, 1, 8, 8, 8);
        for (uint32_t left = whole / 2; left > 1; left = (left + 1) / 2) {
            const uint32_t above = (left + 1) / 2;
            for (uint32_t i = 0; i + above < left; ++i) {
                combine(work[i * place],
                        work[i * place],
                        work[(i + above) * place],
                        MASK_PLACEHOLDER,
                        repeats,
                        dense);
            }
            PipeBarrier<PIPE_V>();
        }
        at = whole / 2 * 2 * lanes;
    } else {
        Duplicate<float, false>(work, neutral, MASK_PLACEHOLDER, repeats, 1, 8);
        PipeBarrier<PIPE_V>();
    }
    const BinaryRepeatParams next(1, 1, 1, 8, 8, pitch);
    for (; at < s.columns; at += lanes) {
        const bool partial = s.columns - at < lanes;
        if (partial) {
            FirstLanes(s.columns - at);
        }
        combine(work, work, s.data[at], MASK_PLACEHOLDER, repeats, next);
        PipeBarrier<PIPE_V>();
        if (partial) {
            FirstLanes(lanes);
        }
    }
}

/// to(rows) = maximum of each row.
__aicore__ inline void MaximumOfRows(const LocalTensor<float>& to,
                                     const RowBlock& s,
                                     const RowScratch& scratch) {
    FoldRows(scratch.work, scratch.place, s, lowest, [](auto... args) { Max<float, false>(args...); });
    BlockReduceMax<float, false>(scratch.blocks, scratch.work, static_cast<int32_t>(s.rows), lanes, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    BlockReduceMax<float, false>(
        to, scratch.blocks, static_cast<int32_t>(Parts(s.rows, row_block)), lanes, 1, 1, 8);
    PipeBarrier<PIPE_V>();
}

/// to(rows) = sum of each row.
__aicore__ inline void SumOfRows(const LocalTensor<float>& to, const RowBlock& s, const RowScratch& scratch) {
    FoldRows(scratch.work, scratch.place, s, 0.0F, [](auto... args) { Add<float, false>(args...); });
    BlockReduceSum<float, false>(scratch.blocks, scratch.work, static_cast<int32_t>(s.rows), lanes, 1, 1, 8);
    PipeBarrier<PIPE_V>();
    BlockReduceSum<float, false>(
        to, scratch.blocks, static_cast<int32_t>(Parts(s.rows, row_block)), lanes, 1, 1, 8);
    PipeBarrier<PIPE_V>();
}

/// s = apply(s, blocks(rows, 8)), each row's block for its whole row. No barrier behind.
template <typename Apply>
__aicore__ inline void ApplyBlocks(const RowBlock& s, const LocalTensor<float>& blocks, const Apply& apply) {
    const auto pitch = static_cast<uint8_t>(s.pitch / row_block);
    const BinaryRepeatParams params(1, 1, 0, pitch, pitch, 1);
    for (uint32_t at = 0; at < s.columns; at += lanes) {
        const bool partial = s.columns - at < lanes;
        if (partial) {
            FirstLanes(s.columns - at);
        }
        apply(s.data[at], s.data[at], blocks, MASK_PLACEHOLDER, static_cast<uint8_t>(s.rows), params);
        if (partial) {
            FirstLanes(lanes);
        }
    }
}

/// blocks(rows, 8) = values(rows), each eight times. No barrier behind.
__aicore__ inline void SpreadRows(const LocalTensor<float>& blocks,
                                  const LocalTensor<float>& values,
                                  uint32_t rows) {
    Brcb(blocks, values, static_cast<uint8_t>(Parts(rows, row_block)), BrcbRepeatParams(1, 8));
}

/// s = apply(s, values(rows)), each value for its whole row.
template <typename Apply>
__aicore__ inline void ForRows(const RowBlock& s,
                               const LocalTensor<float>& values,
                               const LocalTensor<float>& blocks,
                               const Apply& apply) {
    SpreadRows(blocks, values, s.rows);
    PipeBarrier<PIPE_V>();
    ApplyBlocks(s, blocks, apply);
    PipeBarrier<PIPE_V>();
}

/// Masks what lies behind the first `seen` columns of a row of `wide` floats. Leaves another mask set.
__aicore__ inline void MaskBehind(const LocalTensor<float>& row, uint32_t seen, uint32_t wide) {
    const uint32_t start = seen / lanes * lanes;
    const uint32_t end = Smaller(lanes, wide - start);
    const uint64_t below = (uint64_t{1} << (seen - start)) - 1;
    const uint64_t all = end == lanes ? ~uint64_t{0} : (uint64_t{1} << end) - 1;
    uint64_t mask[2] = {all & ~below, 0};
    Duplicate(row[start], masked_score, mask, 1, 1, 8);
    if (wide > start + lanes) {
        Duplicate(row[start + lanes], masked_score, static_cast<int32_t>(wide - start - lanes));
    }
}

}  // namespace attention
