// SPDX-License-Identifier: Apache-2.0
// Reductions of a matrix over its rows or columns.
#pragma once

#include "kernels/ascendc/ascendc/adv/reduce_pattern.h"
#include "kernels/ascendc/ascendc/adv/row_values.h"

namespace AscendC {

namespace adv {

/// dst[row] = the reduction of each row, times `factor`.
template <typename T>
inline void ReduceLast(RowOp op,
                       const LocalTensor<T>& dst,
                       const LocalTensor<T>& src,
                       const Rows& all,
                       float factor,
                       Scratch scratch,
                       Site site) {
    if constexpr (has_vector_unit) {
        const RowSpace space(scratch, all.rows, all.width, all.stride, 2, std::is_same_v<T, float> ? 0 : 1);
        Rows shape = all;
        for (uint32_t first = 0; first < all.rows; first += space.rows) {
            shape.rows = all.rows - first < space.rows ? all.rows - first : space.rows;
            const Rows x = LoadRows(src, shape, first, space.wide[0], site);
            ReduceRows(op, space.values[0], x, space.fold, site);
            if (factor != 1.0F) {
                FloatSteps(shape.rows, site).muls(space.values[0], space.values[0], factor);
            }
            StoreValues(dst, space.values[0], first, shape.rows, true, space.block, space.values[1], site);
        }
    }
}

/// dst = the rows combined, by halves: the last half of the rows is folded onto the first until one is left.
/// The work lies in `scratch` unless the source may be changed.
template <typename T, class Combine>
inline void ReduceFirst(const LocalTensor<T>& dst,
                        const LocalTensor<T>& src,
                        const Rows& all,
                        bool reuse,
                        Scratch scratch,
                        Combine combine,
                        Site site) {
    if constexpr (has_vector_unit) {
        if (all.rows == 1) {
            DataCopy(dst, src, all.stride, site);
            PipeBarrier<PIPE_V>(site);
            return;
        }
        LocalTensor<T> from = src;
        uint32_t rows = all.rows;
        const LocalTensor<T> work =
            reuse || rows <= 2 ? src : scratch.template Take<T>((rows + 1) / 2 * all.stride);
        while (rows > 1) {
            const uint32_t kept = (rows + 1) / 2;
            const LocalTensor<T> to = kept == 1 ? dst : work;
            combine(to, from, from[kept * all.stride], (rows - kept) * all.stride);
            PipeBarrier<PIPE_V>(site);
            if (kept != rows - kept && to.address_.bufferAddr != from.address_.bufferAddr) {
                DataCopy(to[(kept - 1) * all.stride], from[(kept - 1) * all.stride], all.stride, site);
                PipeBarrier<PIPE_V>(site);
            }
            from = to;
            rows = kept;
        }
    }
}

/// Half of so many elements, in whole blocks: the rest is no more.
inline uint32_t HalfOf(uint32_t n, uint32_t block) {
    return ((n + block - 1) / block + 1) / 2 * block;
}

/// to[row][i] = from[row][i] combined with from[row][kept + i], for n - kept columns; the others up to `kept`
/// are taken over where the tensors differ.
template <typename T, class Combine>
inline void FoldOnce(const LocalTensor<T>& to,
                     uint32_t to_stride,
                     const LocalTensor<T>& from,
                     uint32_t from_stride,
                     uint32_t rows,
                     uint32_t n,
                     uint32_t kept,
                     const Combine& combine,
                     Site site) {
    constexpr uint32_t lanes = 256U / sizeof(T);
    constexpr uint32_t block = 32U / sizeof(T);
    const uint32_t stride = from_stride < to_stride ? to_stride : from_stride;
    const uint32_t whole = (n - kept) / block * block;
    if (whole < kept && !SamePlace(to, from)) {
        Cover<lanes>(rows, kept - whole, stride, [&](const Stripe<lanes>& at) {
            Copy<T, false>(
                to[at.row * to_stride + whole + at.column],
                from[at.row * from_stride + whole + at.column],
                uint64_t{0},
                at.Times(),
                CopyRepeatParams(1, 1, at.template Hop<T>(to_stride), at.template Hop<T>(from_stride)),
                site);
        });
        PipeBarrier<PIPE_V>(site);
    }
    Cover<lanes>(rows, n - kept, stride, [&](const Stripe<lanes>& at) {
        const uint8_t hop = at.template Hop<T>(from_stride);
        const uint32_t place = at.row * from_stride + at.column;
        combine(to[at.row * to_stride + at.column],
                from[place],
                from[place + kept],
                at.Times(),
                BinaryRepeatParams(1, 1, 1, at.template Hop<T>(to_stride), hop, hop));
    });
    PipeBarrier<PIPE_V>(site);
}

/// dst[row] = the combined elements of each row: by halves, the same for as many rows as half of them fit
/// into `scratch` or, where the source may be changed, for all; then the scalar unit combines the last block.
template <typename T, class Combine>
inline void FoldRows(const LocalTensor<T>& dst,
                     const LocalTensor<T>& src,
                     const Rows& all,
                     bool reuse,
                     Scratch scratch,
                     Combine combine,
                     Site site) {
    if constexpr (has_vector_unit) {
        constexpr uint32_t block = 32U / sizeof(T);
        const uint32_t stride = reuse ? all.stride : HalfOf(all.width, block);
        const uint32_t fit = scratch.Room() / (stride * static_cast<uint32_t>(sizeof(T)));
        const uint32_t share = reuse || fit >= all.rows ? all.rows : fit == 0 ? 1U : fit;
        const LocalTensor<T> work = reuse ? src : scratch.template Take<T>(share * stride);
        const int32_t read = GetTPipePtr()->FetchEventID<HardEvent::V_S>();
        for (uint32_t first = 0; first < all.rows; first += share) {
            const uint32_t rows = all.rows - first < share ? all.rows - first : share;
            LocalTensor<T> from = src[first * all.stride];
            uint32_t from_stride = all.stride;
            uint32_t n = all.width;
            while (n > block) {  // whole blocks, so that both halves are aligned
                FoldOnce(work, stride, from, from_stride, rows, n, HalfOf(n, block), combine, site);
                from = work;
                from_stride = stride;
                n = HalfOf(n, block);
            }
            SetFlag<HardEvent::V_S>(read, site);
            WaitFlag<HardEvent::V_S>(read, site);
            for (uint32_t row = 0; row < rows; ++row) {
                T value = from.GetValue(row * from_stride, site);
                for (uint32_t i = 1; i < n; ++i) {
                    value = combine(value, from.GetValue(row * from_stride + i, site));
                }
                dst.SetValue(first + row, value, site);
            }
            const int32_t written = GetTPipePtr()->FetchEventID<HardEvent::S_V>();
            SetFlag<HardEvent::S_V>(written, site);
            WaitFlag<HardEvent::S_V>(written, site);
        }
    }
}

/// Combines tensors by a vector instruction, and numbers by the scalar unit.
enum class Combination : uint8_t { sum, product, max, min };

template <Combination how, typename T>
struct Combiner {
    Site site;

    void operator()(const LocalTensor<T>& d,
                    const LocalTensor<T>& a,
                    const LocalTensor<T>& b,
                    uint32_t n) const {
        const auto count = static_cast<int32_t>(n);
        if constexpr (how == Combination::sum) {
            Add(d, a, b, count, site);
        } else if constexpr (how == Combination::product) {
            Mul(d, a, b, count, site);
        } else if constexpr (how == Combination::max) {
            Max(d, a, b, count, site);
        } else {
            Min(d, a, b, count, site);
        }
    }

    /// The same with strides, under the mask that is set.
    void operator()(const LocalTensor<T>& d,
                    const LocalTensor<T>& a,
                    const LocalTensor<T>& b,
                    uint8_t repeats,
                    const BinaryRepeatParams& strides) const {
        if constexpr (how == Combination::sum) {
            Add<T, false>(d, a, b, uint64_t{0}, repeats, strides, site);
        } else if constexpr (how == Combination::product) {
            Mul<T, false>(d, a, b, uint64_t{0}, repeats, strides, site);
        } else if constexpr (how == Combination::max) {
            Max<T, false>(d, a, b, uint64_t{0}, repeats, strides, site);
        } else {
            Min<T, false>(d, a, b, uint64_t{0}, repeats, strides, site);
        }
    }

    T operator()(T a, T b) const {
        return how == Combination::sum       ? static_cast<T>(a + b)
               : how == Combination::product ? static_cast<T>(a * b)
               : how == Combination::max     ? (a < b ? b : a)
                                             : (b < a ? b : a);
    }
};

/// The shape of a call: [A, R] or [R, A], the last axis padded to 32 bytes where srcInnerPad says so.
template <typename T>
inline Rows PatternRows(const uint32_t shape[], bool padded) {
    const uint32_t block = 32U / sizeof(T);
    return {{}, shape[0], padded ? (shape[1] + block - 1) / block * block : shape[1], shape[1]};
}

/// dst[row] = the combined elements of each row, in no other space than the source's, as the interface
/// promises where the source may be changed (GetReduceSumMaxMinTmpSize of such calls is 0): halves are folded
/// until one repeat is left.
template <Combination how>
inline void ReduceInSource(const LocalTensor<float>& dst,
                           const LocalTensor<float>& src,
                           const Rows& all,
                           const Combiner<how, float>& combine,
                           Site site) {
    if constexpr (has_vector_unit) {
        constexpr uint32_t lanes = 64;
        constexpr uint32_t block = 8;
        constexpr uint32_t most_rows = 248;  // of an instruction; a multiple of a block's elements
        uint32_t n = all.width;
        CheckRowStarts<float>(all.rows, all.stride, site);
        while (n > lanes) {
            FoldOnce(src, all.stride, src, all.stride, all.rows, n, HalfOf(n, block), combine, site);
            n = HalfOf(n, block);
        }
        const uint32_t hop = all.stride / block;
        const uint32_t at_once = hop > 255 ? 1U : most_rows;
        for (uint32_t first = 0; first < all.rows; first += at_once) {
            const uint32_t rows = all.rows - first < at_once ? all.rows - first : at_once;
            const auto mask = static_cast<int32_t>(n);
            const auto repeats = static_cast<int32_t>(rows);
            const auto stride = static_cast<int32_t>(rows == 1 ? block : hop);
            const LocalTensor<float> to = dst[first];
            const LocalTensor<float> from = src[first * all.stride];
            if constexpr (how == Combination::sum) {
                WholeReduceSum(to, from, mask, repeats, 1, 1, stride, site);
            } else if constexpr (how == Combination::max) {
                WholeReduceMax(to, from, mask, repeats, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE, site);
            } else {
                WholeReduceMin(to, from, mask, repeats, 1, 1, stride, ReduceOrder::ORDER_ONLY_VALUE, site);
            }
        }
        PipeBarrier<PIPE_V>(site);
    }
}

/// Reduces by `how`; bytes of ReduceAny and ReduceAll are 0 and 1, whose maximum and minimum, as halves, are
/// or and and.
template <Combination how, class pattern, typename T>
inline void ReducePatternCall(const LocalTensor<T>& dst,
                              const LocalTensor<T>& src,
                              const uint32_t shape[],
                              bool padded,
                              bool reuse,
                              const Scratch& scratch,
                              Site site) {
    const Rows rows = PatternRows<T>(shape, padded);
    const Combiner<how, T> combiner{site};
    if constexpr (pattern::reduces_first) {
        ReduceFirst(dst, src, rows, reuse, scratch, combiner, site);
    } else if constexpr (std::is_same_v<T, float> && how != Combination::product) {
        if (reuse) {
            ReduceInSource(dst, src, rows, combiner, site);
            return;
        }
        constexpr RowOp op = how == Combination::sum   ? RowOp::add
                             : how == Combination::max ? RowOp::max
                                                       : RowOp::min;
        if constexpr (has_vector_unit) {
            ReduceLast(op, dst, src, rows, 1.0F, scratch, site);
        }
    } else {
        FoldRows(dst, src, rows, reuse, scratch, combiner, site);
    }
}

/// Any and All of bytes: as halves, which the vector unit can compare.
template <Combination how, class pattern>
inline void ReduceBytes(const LocalTensor<uint8_t>& dst,
                        const LocalTensor<uint8_t>& src,
                        const uint32_t shape[],
                        bool padded,
                        Scratch scratch,
                        Site site) {
    if constexpr (has_vector_unit) {
        const Rows bytes = PatternRows<uint8_t>(shape, padded);
        const uint32_t results = pattern::reduces_first ? bytes.stride : (bytes.rows + 31U) / 32U * 32U;
        const LocalTensor<half> wide = scratch.Take<half>(bytes.Elements());
        const LocalTensor<half> narrow = scratch.Take<half>(results);
        Cast(wide, src, RoundMode::CAST_NONE, bytes.Elements(), site);
        PipeBarrier<PIPE_V>(site);
        const uint32_t wide_shape[2]{shape[0], bytes.stride};
        if constexpr (pattern::reduces_first) {
            ReducePatternCall<how, pattern>(narrow, wide, wide_shape, false, true, scratch, site);
        } else {
            Rows rows = bytes;
            FoldRows(narrow, wide, rows, true, scratch, Combiner<how, half>{site}, site);
        }
        Cast(dst, narrow, RoundMode::CAST_NONE, pattern::reduces_first ? bytes.stride : bytes.rows, site);
        PipeBarrier<PIPE_V>(site);
    }
}

}  // namespace adv

}  // namespace AscendC
