// SPDX-License-Identifier: Apache-2.0
// One value per row in a tensor of the caller: as a 32-byte block of equal elements, or dense.
#pragma once

#include "kernels/ascendc/ascendc/adv/rows.h"

namespace AscendC::adv {

/// Elements of T in a 32-byte block.
template <typename T>
inline constexpr uint32_t per_block = 32U / sizeof(T);

/// values = the values of rows from `first` of `source`; blocks unless `dense`. `half_space` has as many
/// bytes as values.
template <typename T>
inline void LoadValues(const Floats& values,
                       const LocalTensor<T>& source,
                       uint32_t first,
                       uint32_t rows,
                       bool dense,
                       const Floats& half_space,
                       Site site) {
    const FloatSteps v(rows, site);
    if (dense) {
        if constexpr (std::is_same_v<T, float>) {
            v.copy(values, source[first]);
        } else {
            v.cast(values, source[first]);
        }
        return;
    }
    const LocalTensor<T> from = source[first * per_block<T>];
    const LocalTensor<T> to = [&] {
        if constexpr (std::is_same_v<T, float>) {
            return values;
        } else {
            return half_space.template ReinterpretCast<T>();
        }
    }();
    // The largest of equal values is their value.
    WholeReduceMax(to,
                   from,
                   static_cast<int32_t>(per_block<T>),
                   static_cast<int32_t>(rows),
                   1,
                   1,
                   1,
                   ReduceOrder::ORDER_ONLY_VALUE,
                   site);
    PipeBarrier<PIPE_V>(site);
    if constexpr (!std::is_same_v<T, float>) {
        v.cast(values, to);
    }
}

/// The reverse. `block` has 32 bytes per row in whole groups of eight rows; it and `half_space` are
/// overwritten.
template <typename T>
inline void StoreValues(const LocalTensor<T>& target,
                        const Floats& values,
                        uint32_t first,
                        uint32_t rows,
                        bool dense,
                        const Floats& block,
                        const Floats& half_space,
                        Site site) {
    LocalTensor<T> narrow;
    if constexpr (std::is_same_v<T, float>) {
        narrow = values;
    } else {
        narrow = half_space.template ReinterpretCast<T>();
        Cast(narrow, values, RoundMode::CAST_RINT, rows, site);
        PipeBarrier<PIPE_V>(site);
    }
    if (dense) {
        Muls(target[first], narrow, T(1.0F), static_cast<int32_t>(rows), site);
    } else {
        const LocalTensor<T> blocks = block.template ReinterpretCast<T>();
        Brcb(blocks, narrow, static_cast<uint8_t>((rows + 7U) / 8U), BrcbRepeatParams(1, 8), site);
        PipeBarrier<PIPE_V>(site);
        DataCopy(target[first * per_block<T>], blocks, rows * per_block<T>, site);
    }
    PipeBarrier<PIPE_V>(site);
}

/// Calls f(row, column, rows, hop) for pieces of 16 columns that one instruction can move between NZ order
/// and rows; `hop` is the distance of rows in blocks of 32 bytes.
template <class Function>
inline void EachFractalColumn(const Rows& shape, Function f) {
    constexpr uint32_t most = 255;  // of a repeat stride
    const uint32_t hop = shape.stride / 8U;
    const uint32_t rows = hop > most ? 1U : shape.rows;
    for (uint32_t column = 0; column < shape.stride; column += 16U) {
        for (uint32_t row = 0; row < shape.rows; row += rows) {
            f(row, column, static_cast<uint8_t>(rows), static_cast<uint8_t>(rows == 1 ? 8U : hop));
        }
    }
}

/// NZ order -> rows of floats in `wide`.
template <typename T>
inline void FromFractals(
    const LocalTensor<T>& source, const Rows& shape, uint32_t first, const Floats& wide, Site site) {
    EachFractalColumn(shape, [&](uint32_t row, uint32_t column, uint8_t rows, uint8_t hop) {
        const LocalTensor<T> from = source[column * shape.fractal_rows + (first + row) * 16U];
        const Floats to = wide[row * shape.stride + column];
        if constexpr (std::is_same_v<T, float>) {
            Muls(to, from, 1.0F, uint64_t{16}, rows, UnaryRepeatParams(1, 1, hop, 2), site);
        } else {
            Cast(to, from, RoundMode::CAST_NONE, uint64_t{16}, rows, UnaryRepeatParams(1, 1, hop, 1), site);
        }
    });
    PipeBarrier<PIPE_V>(site);
}

/// Rows of floats -> NZ order.
template <typename T>
inline void IntoFractals(const LocalTensor<T>& target, const Rows& rows, uint32_t first, Site site) {
    EachFractalColumn(rows, [&](uint32_t row, uint32_t column, uint8_t repeats, uint8_t hop) {
        const LocalTensor<T> to = target[column * rows.fractal_rows + (first + row) * 16U];
        const Floats from = rows.data[row * rows.stride + column];
        if constexpr (std::is_same_v<T, float>) {
            Muls(to, from, 1.0F, uint64_t{16}, repeats, UnaryRepeatParams(1, 1, 2, hop), site);
        } else {
            Cast(
                to, from, RoundMode::CAST_RINT, uint64_t{16}, repeats, UnaryRepeatParams(1, 1, 1, hop), site);
        }
    });
    PipeBarrier<PIPE_V>(site);
}

/// Rows of the caller as floats: themselves, or widened or put in order into `wide`.
template <typename T>
inline Rows LoadRows(
    const LocalTensor<T>& source, const Rows& shape, uint32_t first, const Floats& wide, Site site) {
    Rows result = shape;
    if (shape.fractal_rows != 0) {
        result.data = wide;
        FromFractals(source, shape, first, wide, site);
        return result;
    }
    if constexpr (std::is_same_v<T, float>) {
        result.data = source[first * shape.stride];
    } else {
        result.data = wide;
        FloatSteps(shape.Elements(), site).cast(wide, source[first * shape.stride]);
    }
    return result;
}

/// Where rows of floats that go to `target` may be worked on.
template <typename T>
inline Rows WorkRows(const LocalTensor<T>& target, const Rows& shape, uint32_t first, const Floats& wide) {
    Rows result = shape;
    if constexpr (std::is_same_v<T, float>) {
        result.data = shape.fractal_rows != 0 ? wide : target[first * shape.stride];
    } else {
        result.data = wide;
    }
    return result;
}

/// Brings worked rows into `target`, rounded, unless they lie there.
template <typename T>
inline void StoreRows(const LocalTensor<T>& target, const Rows& rows, uint32_t first, Site site) {
    if (rows.fractal_rows != 0) {
        IntoFractals(target, rows, first, site);
        return;
    }
    if constexpr (!std::is_same_v<T, float>) {
        Cast(target[first * rows.stride], rows.data, RoundMode::CAST_RINT, rows.Elements(), site);
        PipeBarrier<PIPE_V>(site);
    }
}

}  // namespace AscendC::adv
