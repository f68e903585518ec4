// SPDX-License-Identifier: Apache-2.0
// Rows of floats: reductions of each row, and operations of each row with a value of its own or with a common
// row.
//
//   data    row 0 |........width.......|pad|      stride elements apart, a multiple of 8
//           row 1 |........width.......|pad|
//   values  one float per row, dense
//   block   each row's value eight times: a 32-byte block
#pragma once

#include "kernels/ascendc/ascendc/adv/elementwise.h"
#include "kernels/ascendc/ascendc/vector/vector_gather.h"
#include "kernels/ascendc/ascendc/vector/vector_reduce.h"

namespace AscendC::adv {

enum class RowOp : uint8_t { add, sub, mul, div, max, min };

struct Rows {
    Floats data;
    uint32_t rows = 0;
    uint32_t stride = 0;
    uint32_t width = 0;
    // Rows of the caller's matrix if it lies in NZ order, 16 columns of all rows after each other; 0: row
    // after row.
    uint32_t fractal_rows = 0;

    [[nodiscard]] uint32_t Elements() const { return rows * stride; }

    /// The same rows with the padding as part of them.
    [[nodiscard]] Rows WithPadding() const { return {data, rows, stride, stride}; }
};

/// A binary instruction with strides, under the mask that is set.
inline void Apply(RowOp op,
                  const Floats& d,
                  const Floats& a,
                  const Floats& b,
                  uint32_t repeats,
                  const BinaryRepeatParams& strides,
                  Site site) {
    const auto times = static_cast<uint8_t>(repeats);
    switch (op) {
        case RowOp::add:
            return Add<float, false>(d, a, b, uint64_t{0}, times, strides, site);
        case RowOp::sub:
            return Sub<float, false>(d, a, b, uint64_t{0}, times, strides, site);
        case RowOp::mul:
            return Mul<float, false>(d, a, b, uint64_t{0}, times, strides, site);
        case RowOp::div:
            return Div<float, false>(d, a, b, uint64_t{0}, times, strides, site);
        case RowOp::max:
            return Max<float, false>(d, a, b, uint64_t{0}, times, strides, site);
        case RowOp::min:
            return Min<float, false>(d, a, b, uint64_t{0}, times, strides, site);
    }
}

/// The part of rows that one instruction covers, whose mask is set: `repeats` times the lanes of the mask
/// from this row and column on, either down the rows or along one. A repeat has `lanes` elements: 256 bytes
/// of the widest operand.
template <uint32_t lanes = 64>
struct Stripe {
    uint32_t row;
    uint32_t column;
    uint32_t repeats;
    bool down;

    /// The repeat stride, in blocks, of an operand of T whose rows are `stride` elements apart.
    template <typename T = float>
    [[nodiscard]] uint8_t Hop(uint32_t stride) const {
        return static_cast<uint8_t>((down ? stride : lanes) * sizeof(T) / 32U);
    }

    [[nodiscard]] uint8_t Times() const { return static_cast<uint8_t>(repeats); }
};

constexpr uint32_t most_repeats = 255;  // of an instruction; also its largest repeat stride, in blocks

/// Calls f(stripe) down columns of all rows.
template <uint32_t lanes, class Function>
inline void CoverDown(uint32_t rows, uint32_t column, uint32_t end, const Function& f) {
    for (; column < end; column += lanes) {
        for (uint32_t row = 0; row < rows; row += most_repeats) {
            f(Stripe<lanes>{row, column, rows - row < most_repeats ? rows - row : most_repeats, true});
        }
    }
}

/// Calls f(stripe) for instructions that together cover the first `width` of every `stride` elements (the
/// largest stride of the operands), along rows or down them, whichever takes fewer. The mask is set but
/// twice, since the unit empties when it is: for whole repeats, then for what is left of the rows.
template <uint32_t lanes = 64, class Function>
inline void Cover(uint32_t rows, uint32_t width, uint32_t stride, const Function& f) {
    const bool reaches = stride <= most_repeats * lanes / 8U;
    const uint32_t whole = width / lanes;
    if (whole > 0) {
        SetVectorMask<float>(static_cast<int32_t>(lanes));
        const uint32_t along = (whole + most_repeats - 1) / most_repeats * rows;
        const uint32_t down = (rows + most_repeats - 1) / most_repeats * whole;
        if (reaches && down <= along) {
            CoverDown<lanes>(rows, 0, whole * lanes, f);
        } else {
            for (uint32_t row = 0; row < rows; ++row) {
                for (uint32_t done = 0; done < whole; done += most_repeats) {
                    const uint32_t repeats = whole - done < most_repeats ? whole - done : most_repeats;
                    f(Stripe<lanes>{row, done * lanes, repeats, false});
                }
            }
        }
    }
    if (width % lanes != 0) {
        SetVectorMask<float>(static_cast<int32_t>(width % lanes));
        if (reaches) {
            CoverDown<lanes>(rows, whole * lanes, width, f);
        } else {
            for (uint32_t row = 0; row < rows; ++row) {
                f(Stripe<lanes>{row, whole * lanes, 1, false});
            }
        }
    }
    ResetMask();
}

/// Faults unless each of `rows` rows, `stride` elements of T apart, starts at a whole block, as strides of
/// repeats count them.
template <typename T>
inline void CheckRowStarts(uint32_t rows, uint32_t stride, Site site) {
    if (rows > 1 && stride * sizeof(T) % 32U != 0) {
        ascendsim::isa::kernel_fault("a matrix",
                                     "has rows of " + std::to_string(stride * sizeof(T)) +
                                         " bytes; they must be whole blocks of 32 bytes: pad its inner axis",
                                     site);
    }
}

/// Cover() for one operand or two, of which `a` has the shape.
template <class Function>
inline void Cover(const Rows& d, const Rows& a, const Function& f) {
    Cover(a.rows, a.width, a.stride < d.stride ? d.stride : a.stride, f);
}

/// d = a op the block of each row. The blocks of successive rows lie `step` blocks apart.
inline void ApplyBlocks(
    RowOp op, const Rows& d, const Rows& a, const Floats& block, Site site, uint32_t step = 1) {
    CheckRowStarts<float>(a.rows, a.stride, site);
    CheckRowStarts<float>(a.rows, d.stride, site);
    Cover(d, a, [&](const Stripe<>& at) {
        Apply(op,
              d.data[at.row * d.stride + at.column],
              a.data[at.row * a.stride + at.column],
              block[at.row * step * 8U],
              at.repeats,
              BinaryRepeatParams(
                  1, 1, 0, at.Hop(d.stride), at.Hop(a.stride), at.down ? static_cast<uint8_t>(step) : 0),
              site);
    });
    PipeBarrier<PIPE_V>(site);
}

/// d = a op the same row for all rows.
inline void ApplyRow(RowOp op, const Rows& d, const Rows& a, const Floats& common, Site site) {
    CheckRowStarts<float>(a.rows, a.stride, site);
    CheckRowStarts<float>(a.rows, d.stride, site);
    Cover(d, a, [&](const Stripe<>& at) {
        Apply(op,
              d.data[at.row * d.stride + at.column],
              a.data[at.row * a.stride + at.column],
              common[at.column],
              at.repeats,
              BinaryRepeatParams(1, 1, 1, at.Hop(d.stride), at.Hop(a.stride), at.down ? 0 : 8),
              site);
    });
    PipeBarrier<PIPE_V>(site);
}

/// sums[column] += a[row][column] for one row after the other: repeats that start at the same place are the
/// documented exception to operands that do not depend on earlier repeats.
inline void AccumulateRows(const Floats& sums, const Rows& a, Site site) {
    CheckRowStarts<float>(a.rows, a.stride, site);
    if (a.stride > most_repeats * 8U) {
        const FloatSteps v(a.width, site);
        for (uint32_t row = 0; row < a.rows; ++row) {
            v.add(sums, sums, a.data[row * a.stride]);
        }
        return;
    }
    const auto hop = static_cast<uint8_t>(a.stride / 8U);
    for (uint32_t row = 0; row < a.rows; row += most_repeats) {
        const auto times = static_cast<uint8_t>(a.rows - row < most_repeats ? a.rows - row : most_repeats);
        SetVectorMask<float>(64);
        for (uint32_t column = 0; column < a.width; column += 64U) {
            if (a.width - column < 64U) {
                SetVectorMask<float>(static_cast<int32_t>(a.width - column));
            }
            const Floats to = sums[column];
            const Floats from = a.data[row * a.stride + column];
            Add<float, false>(to, from, to, uint64_t{0}, times, BinaryRepeatParams(1, 1, 1, 0, hop, 0), site);
        }
        PipeBarrier<PIPE_V>(site);
    }
    ResetMask();
}

/// d = a s
inline void ApplyNumber(const Rows& d, const Rows& a, float s, Site site) {
    CheckRowStarts<float>(a.rows, a.stride, site);
    CheckRowStarts<float>(a.rows, d.stride, site);
    Cover(d, a, [&](const Stripe<>& at) {
        Muls<float, false>(d.data[at.row * d.stride + at.column],
                           a.data[at.row * a.stride + at.column],
                           s,
                           uint64_t{0},
                           at.Times(),
                           UnaryRepeatParams(1, 1, at.Hop(d.stride), at.Hop(a.stride)),
                           site);
    });
    PipeBarrier<PIPE_V>(site);
}

/// Casts rows of 32-bit elements to or from narrower ones, each with its own distance of rows.
template <typename D, typename S>
inline void CastRows(const LocalTensor<D>& d,
                     uint32_t d_stride,
                     const LocalTensor<S>& a,
                     uint32_t a_stride,
                     uint32_t rows,
                     uint32_t width,
                     RoundMode mode,
                     Site site) {
    static_assert(sizeof(D) == 4 || sizeof(S) == 4, "a repeat has 64 elements");
    if (d_stride == width && a_stride == width) {
        Cast(d, a, mode, rows * width, site);
    } else {
        CheckRowStarts<D>(rows, d_stride, site);
        CheckRowStarts<S>(rows, a_stride, site);
        // Repeat strides count blocks: of the wider type they are the larger.
        Cover(rows, width, d_stride < a_stride ? a_stride : d_stride, [&](const Stripe<>& at) {
            Cast<D, S, false>(
                d[at.row * d_stride + at.column],
                a[at.row * a_stride + at.column],
                mode,
                uint64_t{0},
                at.Times(),
                UnaryRepeatParams(1, 1, at.template Hop<D>(d_stride), at.template Hop<S>(a_stride)),
                site);
        });
    }
    PipeBarrier<PIPE_V>(site);
}

/// One value per repeat of `lanes` elements.
inline void ReduceRepeats(RowOp op,
                          const Floats& values,
                          const Floats& a,
                          uint32_t lanes,
                          uint32_t repeats,
                          uint32_t hop,
                          Site site) {
    const auto mask = static_cast<int32_t>(lanes);
    const auto times = static_cast<int32_t>(repeats);
    const auto step = static_cast<int32_t>(hop);
    if (op == RowOp::add) {
        WholeReduceSum(values, a, mask, times, 1, 1, step, site);
    } else if (op == RowOp::max) {
        WholeReduceMax(values, a, mask, times, 1, 1, step, ReduceOrder::ORDER_ONLY_VALUE, site);
    } else {
        WholeReduceMin(values, a, mask, times, 1, 1, step, ReduceOrder::ORDER_ONLY_VALUE, site);
    }
    PipeBarrier<PIPE_V>(site);
}

/// Folds columns onto the first 64, row by row in parallel, then reduces repeats.
inline void ReduceByColumns(RowOp op, const Floats& values, const Rows& a, const Floats& fold, Site site) {
    const auto hop = static_cast<uint8_t>(a.stride / 8U);
    if (a.width <= 64) {
        ReduceRepeats(op, values, a.data, a.width, a.rows, hop, site);
        return;
    }
    SetVectorMask<float>(64);
    uint32_t column = 64;
    if (a.width >= 128) {
        Apply(op, fold, a.data, a.data[64], a.rows, BinaryRepeatParams(1, 1, 1, 8, hop, hop), site);
        column = 128;
    } else {
        Muls<float, false>(fold,
                           a.data,
                           1.0F,
                           uint64_t{0},
                           static_cast<uint8_t>(a.rows),
                           UnaryRepeatParams(1, 1, 8, hop),
                           site);
    }
    PipeBarrier<PIPE_V>(site);
    for (; column < a.width; column += 64) {
        if (a.width - column < 64) {
            SetVectorMask<float>(static_cast<int32_t>(a.width - column));
        }
        Apply(op, fold, fold, a.data[column], a.rows, BinaryRepeatParams(1, 1, 1, 8, 8, hop), site);
        PipeBarrier<PIPE_V>(site);
    }
    ReduceRepeats(op, values, fold, 64, a.rows, 8, site);
}

/// Reduces one long row in rounds of 64 to 1, between the halves of `fold`.
inline void ReduceLongRow(
    RowOp op, const Floats& value, const Floats& row, uint32_t width, const Floats& fold, Site site) {
    Floats from = row;
    uint32_t n = width;
    uint32_t at = 0;
    while (n > 64) {
        const Floats to = fold[at];
        const uint32_t whole = n / 64U;
        for (uint32_t done = 0; done < whole; done += 248) {
            ReduceRepeats(
                op, to[done], from[done * 64U], 64, whole - done < 248 ? whole - done : 248U, 8, site);
        }
        if (n % 64U != 0) {
            ReduceRepeats(op, to[whole], from[whole * 64U], n % 64U, 1, 8, site);
        }
        n = (n + 63U) / 64U;
        from = to;
        at += (n + 7U) / 8U * 8U;
    }
    ReduceRepeats(op, value, from, n, 1, 8, site);
}

/// values[row] = the sum, maximum or minimum of each row; `fold` has FoldSize() elements.
inline void ReduceRows(RowOp op, const Floats& values, const Rows& a, const Floats& fold, Site site) {
    if (a.stride <= 255U * 8U && a.rows <= 255 && (a.width + 63U) / 64U <= 3U * a.rows) {
        ReduceByColumns(op, values, a, fold, site);
        return;
    }
    for (uint32_t row = 0; row < a.rows; ++row) {
        ReduceLongRow(op, values[row], a.data[row * a.stride], a.width, fold, site);
    }
}

/// Elements that ReduceRows needs for folding.
inline uint32_t FoldSize(uint32_t rows, uint32_t width) {
    const uint32_t long_row = width / 64U + width / 4096U + 24U;
    const uint32_t columns = width > 64 ? 64U * rows : 8U;
    return columns > long_row ? columns : (long_row + 7U) / 8U * 8U;
}

/// block[row] = values[row] eight times; writes whole groups of eight rows.
inline void Spread(const Floats& block, const Floats& values, uint32_t rows, Site site) {
    Brcb(block, values, static_cast<uint8_t>((rows + 7U) / 8U), BrcbRepeatParams(1, 8), site);
    PipeBarrier<PIPE_V>(site);
}

/// What a row algorithm needs for `rows` rows at a time, as many as fit.
struct RowSpace {
    static constexpr uint32_t max_values = 6;
    static constexpr uint32_t max_wide = 3;

    uint32_t rows = 0;
    Floats fold;
    Floats block;
    Floats values[max_values];
    Floats wide[max_wide];

    /// What r rows take.
    static uint32_t Bytes(
        uint32_t r, uint32_t width, uint32_t stride, uint32_t value_count, uint32_t wide_count) {
        const uint32_t round = (r + 7U) / 8U * 8U;
        return 4U * (FoldSize(r, width) + 8U * round + value_count * round + wide_count * r * stride);
    }

    /// `total` rows of `width` elements `stride` apart, with `value_count` values and `wide_count` rows of
    /// floats each.
    RowSpace(Scratch& scratch,
             uint32_t total,
             uint32_t width,
             uint32_t stride,
             uint32_t value_count,
             uint32_t wide_count) {
        const auto bytes = [&](uint32_t r) { return Bytes(r, width, stride, value_count, wide_count); };
        rows = total < 248 ? total : 248;
        while (rows > 8 && bytes(rows) > scratch.Room()) {
            rows = (rows - 1) / 8 * 8;
        }
        while (rows > 1 && bytes(rows) > scratch.Room()) {
            // Eight rows of results keep their alignment; fewer only if all fit into one round.
            rows = total <= 8 ? rows - 1 : 0;
        }
        if (rows == 0 || bytes(rows) > scratch.Room()) {
            scratch.Refuse(bytes(total < 8 ? 1 : 8));
        }
        const uint32_t round = (rows + 7U) / 8U * 8U;
        fold = scratch.Take<float>(FoldSize(rows, width));
        block = scratch.Take<float>(8U * round);
        for (uint32_t i = 0; i < value_count; ++i) {
            values[i] = scratch.Take<float>(round);
        }
        for (uint32_t i = 0; i < wide_count; ++i) {
            wide[i] = scratch.Take<float>(rows * stride);
        }
    }
};

}  // namespace AscendC::adv
