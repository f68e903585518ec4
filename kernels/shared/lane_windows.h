// SPDX-License-Identifier: Apache-2.0
// Windows that slide over images (depth, height, width) of many planes: pooling, convolutions of the vector
// unit. Sixteen planes lie side by side, so that a window's tap is one instruction for many positions,
// whatever the stride, which is then a distance of 32-byte blocks:
//
//   (16, positions) GM --mte2--> UB --transposed--> (positions, 16) --taps--> (positions, 16)
//                                                     --transposed--> (16, positions) UB --mte3--> GM
//
// Planes that lie side by side in global memory already (blocks of 16 channels, NC1HWC0) come and go as they
// are.
//
// A core takes tiles of output positions of sixteen planes. What of a window lies outside of the image takes
// no part: each tap works on those positions for which it lies within.
#pragma once

#include "kernels/shared/gm_copy.h"

namespace windows {

constexpr uint32_t lanes = 16;  // planes side by side

/// One axis of the image, and of the window on it.
struct Axis {
    uint32_t in;
    uint32_t out;
    uint32_t taps;
    uint32_t stride;
    uint32_t dilation;
    int32_t pad;
    int32_t behind;  // padding behind the image that counts for an average
    uint32_t tile;   // output positions of a tile
    uint32_t tiles;
    uint32_t whole_from;  // output positions whose windows lie all within what counts
    uint32_t whole_end;
};

struct Tiling {
    uint64_t units;        // tiles of all planes
    uint64_t share;        // of a core
    uint64_t elements;     // of x
    Axis axis[3];          // depth, height, width
    uint32_t room_in;      // positions of a plane in a buffer, a multiple of 16
    uint32_t room_out;     // likewise
    uint32_t room_across;  // positions once the windows have gone along the width
    uint32_t buffers;
    uint32_t transposed;  // 1: what is read and what is written change places, as for a gradient
    uint32_t in_blocks;   // 1: sixteen planes lie side by side in global memory as well
};

/// Neighbouring positions along an axis.
struct Range {
    uint32_t first;
    uint32_t count;
};

/// The positions for which a tap lies within the image: `count` of them, from `to` on in the result and from
/// `from` on in what is read.
struct Reach {
    uint32_t to;
    uint32_t from;
    uint32_t count;
    uint32_t to_step;
    uint32_t from_step;
};

/// Blocks of 32 B that one instruction or a few go through, with distances in blocks.
struct Grid {
    uint32_t count;  // of a row
    uint32_t to_step;
    uint32_t from_step;
    uint32_t rows;
    uint32_t to_row;
    uint32_t from_row;
};

__aicore__ inline int32_t Floor(int32_t a, int32_t b) {
    return a >= 0 ? a / b : -((b - 1 - a) / b);
}

__aicore__ inline int32_t Ceil(int32_t a, int32_t b) {
    return Floor(a + b - 1, b);
}

__aicore__ inline int32_t Least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

__aicore__ inline int32_t Most(int32_t a, int32_t b) {
    return a > b ? a : b;
}

__aicore__ inline uint32_t Rounded(uint32_t value, uint32_t step) {
    return (value + step - 1) / step * step;
}

/// What windows at `out` touch of the image.
__aicore__ inline Range InputOf(const Axis& axis, bool transposed, const Range& out) {
    const int32_t first = static_cast<int32_t>(out.first);
    const int32_t last = first + static_cast<int32_t>(out.count) - 1;
    const int32_t stride = static_cast<int32_t>(axis.stride);
    const int32_t reach = static_cast<int32_t>((axis.taps - 1) * axis.dilation);
    const int32_t from = transposed ? Ceil(first + axis.pad - reach, stride) : first * stride - axis.pad;
    const int32_t to = transposed ? Floor(last + axis.pad, stride) : last * stride - axis.pad + reach;
    const int32_t low = Most(from, 0);
    const int32_t high = Least(to + 1, static_cast<int32_t>(axis.in));
    return {static_cast<uint32_t>(low), static_cast<uint32_t>(Most(high - low, 0))};
}

/// Where a tap lies within the image.
__aicore__ inline Reach ReachOf(
    const Axis& axis, bool transposed, const Range& out, const Range& in, uint32_t tap) {
    const int32_t stride = static_cast<int32_t>(axis.stride);
    const int32_t shift = axis.pad - static_cast<int32_t>(tap * axis.dilation);
    const int32_t out_first = static_cast<int32_t>(out.first);
    const int32_t out_end = out_first + static_cast<int32_t>(out.count);
    const int32_t in_first = static_cast<int32_t>(in.first);
    const int32_t in_end = in_first + static_cast<int32_t>(in.count);
    // Few windows at the edges are cut: steps towards them cost less than the scalar unit's divisions.
    if (transposed) {  // out = in * stride - shift
        int32_t low = in_first;
        int32_t high = in_end;
        while (low < high && low * stride - shift < out_first) {
            ++low;
        }
        while (high > low && (high - 1) * stride - shift >= out_end) {
            --high;
        }
        return {static_cast<uint32_t>(low * stride - shift - out_first),
                static_cast<uint32_t>(low - in_first),
                static_cast<uint32_t>(high - low),
                axis.stride,
                1};
    }
    int32_t low = out_first;  // in = out * stride - shift
    int32_t high = out_end;
    while (low < high && low * stride - shift < in_first) {
        ++low;
    }
    while (high > low && (high - 1) * stride - shift >= in_end) {
        --high;
    }
    return {static_cast<uint32_t>(low - out_first),
            static_cast<uint32_t>(low * stride - shift - in_first),
            static_cast<uint32_t>(high - low),
            1,
            axis.stride};
}

/// Calls op.Go(to, from, lanes, repeats, distances) for the blocks of a grid, with as few instructions as one
/// repeat of eight blocks and one distance between repeats allow. Distances come of op.Distances().
template <typename C, typename Op>
__aicore__ inline void OverGrid(const Op& op,
                                const AscendC::LocalTensor<C>& to,
                                const AscendC::LocalTensor<C>& from,
                                Grid g) {
    constexpr uint32_t block = 32 / sizeof(C);
    constexpr uint32_t most = 255;  // of repeats, and of distances between them
    if (g.to_row == g.count * g.to_step && g.from_row == g.count * g.from_step) {
        g.count *= g.rows;
        g.rows = 1;
    }
    const bool by_columns =
        (g.count + 7) / 8 <= g.rows && g.rows <= most && g.to_row <= most && g.from_row <= most;
    const bool far = 8 * g.to_step > most || 8 * g.from_step > most;
    const auto params = op.Distances(g.to_step,
                                     g.from_step,
                                     by_columns ? g.to_row
                                     : far      ? 0
                                                : 8 * g.to_step,
                                     by_columns ? g.from_row
                                     : far      ? 0
                                                : 8 * g.from_step);
    const uint32_t rows = by_columns ? 1 : g.rows;
    const uint32_t at_once = by_columns || far ? 8 : 8 * most;  // blocks of a row
    const uint32_t to_next = block * g.to_step;
    const uint32_t from_next = block * g.from_step;
    for (uint32_t r = 0; r < rows; ++r) {
        uint32_t at = r * g.to_row * block;
        uint32_t of = r * g.from_row * block;
        for (uint32_t left = g.count; left > 0;) {
            const uint32_t n = left < 8 ? left : left < at_once ? left / 8 * 8 : at_once;
            const uint64_t mask = (n < 8 ? n : 8) * block;
            const uint32_t repeats = by_columns ? g.rows : n < 8 ? 1 : n / 8;
            op.Go(to[at], from[of], mask, static_cast<uint8_t>(repeats), params);
            at += n * to_next;
            of += n * from_next;
            left -= n;
        }
    }
}

/// Distances of an instruction with to = to op from.
struct IntoItself {
    __aicore__ inline static AscendC::BinaryRepeatParams Distances(uint32_t to_block,
                                                                   uint32_t from_block,
                                                                   uint32_t to_repeat,
                                                                   uint32_t from_repeat) {
        return AscendC::BinaryRepeatParams(to_block, to_block, from_block, to_repeat, to_repeat, from_repeat);
    }
};

/// to = max(to, from).
struct TakeMax : IntoItself {
    template <typename C>
    __aicore__ inline void Go(const AscendC::LocalTensor<C>& to,
                              const AscendC::LocalTensor<C>& from,
                              uint64_t mask,
                              uint8_t repeats,
                              const AscendC::BinaryRepeatParams& params) const {
        AscendC::Max(to, to, from, mask, repeats, params);
    }
};

/// to += from.
struct TakeSum : IntoItself {
    template <typename C>
    __aicore__ inline void Go(const AscendC::LocalTensor<C>& to,
                              const AscendC::LocalTensor<C>& from,
                              uint64_t mask,
                              uint8_t repeats,
                              const AscendC::BinaryRepeatParams& params) const {
        AscendC::Add(to, to, from, mask, repeats, params);
    }
};

/// to = from.
struct TakeFirst : IntoItself {
    template <typename C>
    __aicore__ inline void Go(const AscendC::LocalTensor<C>& to,
                              const AscendC::LocalTensor<C>& from,
                              uint64_t mask,
                              uint8_t repeats,
                              const AscendC::BinaryRepeatParams& params) const {
        const AscendC::UnaryRepeatParams own(
            params.dstBlkStride, params.src1BlkStride, params.dstRepStride, params.src1RepStride);
        AscendC::Adds(to, from, C(0), mask, repeats, own);
    }
};

/// to = from * factor.
struct TakeScaled {
    float factor;

    __aicore__ inline static AscendC::UnaryRepeatParams Distances(uint32_t to_block,
                                                                  uint32_t from_block,
                                                                  uint32_t to_repeat,
                                                                  uint32_t from_repeat) {
        return AscendC::UnaryRepeatParams(to_block, from_block, to_repeat, from_repeat);
    }

    __aicore__ inline void Go(const AscendC::LocalTensor<float>& to,
                              const AscendC::LocalTensor<float>& from,
                              uint64_t mask,
                              uint8_t repeats,
                              const AscendC::UnaryRepeatParams& params) const {
        AscendC::Muls(to, from, factor, mask, repeats, params);
    }
};

}  // namespace windows
