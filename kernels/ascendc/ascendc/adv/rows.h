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
#include "kernels/ascendc/ascendc/vector_gather.h"
#include "kernels/ascendc/ascendc/vector_reduce.h"

namespace AscendC::adv {

enum class RowOp : uint8_t { add, sub, mul, div, max, min };

struct Rows {
    Floats data;
    uint32_t rows = 0;
    uint32_t stride = 0;
    uint32_t width = 0;
    // Rows of the caller's matrix if it lies in NZ order, 16 columns of all rows after each other; 0: row after row.
    uint32_t fractal_rows = 0;

    [[nodiscard]] uint32_t Elements() const { return rows * stride; }

    /// The same rows with the padding as part of them.
    [[nodiscard]] Rows WithPadding() const { return {data, rows, stride, stride}; }
};

/// A binary instruction with strides; masks and repeats as in the basic API.
template <class... Shape>
inline void Apply(
    RowOp op, const Floats& d, const Floats& a, const Floats& b, Site site, const Shape&... shape) {
    switch (op) {
        case RowOp::add:
            Add(d, a, b, shape..., site);
            break;
        case RowOp::sub:
            Sub(d, a, b, shape..., site);
            break;
        case RowOp::mul:
            Mul(d, a, b, shape..., site);
            break;
        case RowOp::div:
            Div(d, a, b, shape..., site);
            break;
        case RowOp::max:
            Max(d, a, b, shape..., site);
            break;
        case RowOp::min:
            Min(d, a, b, shape..., site);
            break;
    }
}

/// True if instructions that repeat over rows are possible, and not more than those that repeat over columns.
inline bool ByColumns(const Rows& a) {
    return a.stride <= 255U * 8U && a.rows <= 255 && (a.width + 63U) / 64U <= 2U * a.rows;
}

/// Calls f(row, column, lanes, repeats, by_columns) for instructions that together cover all elements.
template <class Function>
inline void Cover(const Rows& a, Function f) {
    if (ByColumns(a)) {
        for (uint32_t c = 0; c < a.width; c += 64) {
            f(0U, c, a.width - c < 64 ? a.width - c : 64U, a.rows, true);
        }
        return;
    }
    for (uint32_t row = 0; row < a.rows; ++row) {
        const uint32_t whole = a.width / 64U;
        for (uint32_t done = 0; done < whole; done += 255) {
            f(row, done * 64U, 64U, whole - done < 255 ? whole - done : 255U, false);
        }
        if (a.width % 64U != 0) {
            f(row, whole * 64U, a.width % 64U, 1U, false);
        }
    }
}

/// d = a op the block of each row. The blocks of successive rows lie `step` blocks apart.
inline void ApplyBlocks(
    RowOp op, const Rows& d, const Rows& a, const Floats& block, Site site, uint32_t step = 1) {
    Cover(a, [&](uint32_t row, uint32_t column, uint32_t lanes, uint32_t repeats, bool by_columns) {
        const auto hop = static_cast<uint8_t>(by_columns ? a.stride / 8U : 8U);
        const auto hop_d = static_cast<uint8_t>(by_columns ? d.stride / 8U : 8U);
        Apply(op,
              d.data[row * d.stride + column],
              a.data[row * a.stride + column],
              block[row * step * 8U],
              site,
              static_cast<uint64_t>(lanes),
              static_cast<uint8_t>(repeats),
              BinaryRepeatParams(1, 1, 0, hop_d, hop, by_columns ? static_cast<uint8_t>(step) : 0));
    });
    PipeBarrier<PIPE_V>(site);
}

/// d = a op the same row for all rows.
inline void ApplyRow(RowOp op, const Rows& d, const Rows& a, const Floats& common, Site site) {
    Cover(a, [&](uint32_t row, uint32_t column, uint32_t lanes, uint32_t repeats, bool by_columns) {
        const auto hop = static_cast<uint8_t>(by_columns ? a.stride / 8U : 8U);
        const auto hop_d = static_cast<uint8_t>(by_columns ? d.stride / 8U : 8U);
        Apply(op,
              d.data[row * d.stride + column],
              a.data[row * a.stride + column],
              common[column],
              site,
              static_cast<uint64_t>(lanes),
              static_cast<uint8_t>(repeats),
              BinaryRepeatParams(1, 1, 1, hop_d, hop, by_columns ? 0 : 8));
    });
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
    const auto rows = static_cast<uint8_t>(a.rows);
    if (a.width <= 64) {
        ReduceRepeats(op, values, a.data, a.width, a.rows, hop, site);
        return;
    }
    uint32_t column = 64;
    if (a.width >= 128) {
        Apply(
            op, fold, a.data, a.data[64], site, uint64_t{64}, rows, BinaryRepeatParams(1, 1, 1, 8, hop, hop));
        column = 128;
    } else {
        Muls(fold, a.data, 1.0F, uint64_t{64}, rows, UnaryRepeatParams(1, 1, 8, hop), site);
    }
    PipeBarrier<PIPE_V>(site);
    for (; column < a.width; column += 64) {
        const uint64_t lanes = a.width - column < 64 ? a.width - column : 64U;
        Apply(op, fold, fold, a.data[column], site, lanes, rows, BinaryRepeatParams(1, 1, 1, 8, 8, hop));
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

    /// `total` rows of `width` elements `stride` apart, with `value_count` values and `wide_count` rows of
    /// floats each.
    RowSpace(Scratch& scratch,
             uint32_t total,
             uint32_t width,
             uint32_t stride,
             uint32_t value_count,
             uint32_t wide_count) {
        const auto bytes = [&](uint32_t r) {
            const uint32_t round = (r + 7U) / 8U * 8U;
            return 4U * (FoldSize(r, width) + 8U * round + value_count * round + wide_count * r * stride);
        };
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
