// SPDX-License-Identifier: Apache-2.0
// Maxima and means of windows: along the width first, then along the height, then along the depth, since a
// window's maximum is the maximum of its rows' maxima, and its sum the sum of their sums.
#pragma once

#include "kernels/shared/lane_planes.h"

struct PoolTiling {
    windows::Tiling windows;
    uint64_t planes;
    uint32_t padded;  // 1: of a mean, positions in the padding count
};

/// C is T for maxima of half and float, and float otherwise.
template <typename T, typename C, bool mean>
class Pool {
public:
    using Images = windows::Planes<T, C>;

    __aicore__ inline Pool(GM_ADDR x, GM_ADDR y, const PoolTiling& tiling)
        : t(tiling), images(x, y, tiling.windows) {
        images.Reserve(pipe);
        const windows::Tiling& w = t.windows;
        const uint32_t even = w.room_in > w.room_out ? w.room_in : w.room_out;
        const uint32_t odd = w.room_across > w.room_out ? w.room_across : w.room_out;
        pipe.InitBuffer(first, even * windows::lanes * sizeof(C));
        pipe.InitBuffer(second, odd * windows::lanes * sizeof(C));
    }

    __aicore__ inline void Process() {
        const uint64_t begin = t.windows.share * AscendC::GetBlockIdx();
        for (uint64_t u = begin; u < begin + t.windows.share && u < t.windows.units; ++u) {
            One(images.TileOf(u));
        }
    }

private:
    static constexpr uint32_t blocks = Images::blocks;

    __aicore__ inline void One(const windows::Tile& tile) {
        const uint64_t plane = tile.group * windows::lanes;
        const uint64_t left = t.planes - plane;
        const uint32_t planes = left < windows::lanes ? left : windows::lanes;
        AscendC::LocalTensor<T> x = images.inX.template AllocTensor<T>();
        images.Fetch(x, tile, plane, planes, 1);
        images.inX.EnQue(x);
        x = images.inX.template DeQue<T>();
        uint32_t lane[windows::lanes];
        for (uint32_t i = 0; i < windows::lanes; ++i) {
            lane[i] = i;
        }
        AscendC::LocalTensor<C> from = first.template Get<C>();
        AscendC::LocalTensor<C> to = second.template Get<C>();
        images.SideBySide(from, x, tile.in[0].count * tile.slice, lane);
        images.inX.FreeTensor(x);
        AlongWidth(to, from, tile);
        if (Slides(t.windows.axis[1])) {
            AlongHeight(from, to, tile);
            Swap(from, to);
        }
        if (Slides(t.windows.axis[0])) {
            AlongDepth(from, to, tile);
            Swap(from, to);
        }
        if constexpr (mean) {
            Divide(to, tile);
        }
        images.Store(to, tile, plane, planes);
    }

    __aicore__ inline static void Swap(AscendC::LocalTensor<C>& a, AscendC::LocalTensor<C>& b) {
        const AscendC::LocalTensor<C> c = a;
        a = b;
        b = c;
    }

    /// False if every window is one position, in order.
    __aicore__ inline static bool Slides(const windows::Axis& axis) {
        return axis.taps > 1 || axis.stride > 1 || axis.pad != 0 || axis.out != axis.in;
    }

    /// What changes nothing: of maxima the least value.
    __aicore__ inline static void Start(const AscendC::LocalTensor<C>& to, uint32_t positions) {
        const uint32_t count = windows::Rounded(positions, windows::lanes) * windows::lanes;
        if constexpr (mean) {
            AscendC::Duplicate(to, C(0), static_cast<int32_t>(count));
        } else if constexpr (sizeof(C) == 2) {
            constexpr int16_t least = -1024;  // the bits of minus infinity, 0xFC00
            AscendC::Duplicate(to.template ReinterpretCast<int16_t>(), least, static_cast<int32_t>(count));
        } else {
            constexpr int32_t least = -8388608;  // 0xFF800000
            AscendC::Duplicate(to.template ReinterpretCast<int32_t>(), least, static_cast<int32_t>(count));
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline static void Take(const AscendC::LocalTensor<C>& to,
                                       const AscendC::LocalTensor<C>& from,
                                       const windows::Grid& grid) {
        if constexpr (mean) {
            windows::OverGrid(windows::TakeSum{}, to, from, grid);
        } else {
            windows::OverGrid(windows::TakeMax{}, to, from, grid);
        }
    }

    // (depth, height, width) in -> (depth in, height in, width out)
    __aicore__ inline void AlongWidth(const AscendC::LocalTensor<C>& to,
                                      const AscendC::LocalTensor<C>& from,
                                      const windows::Tile& tile) {
        const uint32_t width = tile.out[2].count;
        const uint32_t height = tile.in[1].count;
        Start(to, tile.in[0].count * height * width);
        for (uint32_t k = 0; k < t.windows.axis[2].taps; ++k) {
            const windows::Reach reach =
                windows::ReachOf(t.windows.axis[2], false, tile.out[2], tile.in[2], k);
            for (uint32_t d = 0; d < tile.in[0].count && reach.count > 0; ++d) {
                const AscendC::LocalTensor<C> at = to[(d * height * width + reach.to) * windows::lanes];
                const AscendC::LocalTensor<C> of = from[(d * tile.slice + reach.from) * windows::lanes];
                if (reach.from_step == 1) {
                    Take(at, of, {reach.count * blocks, 1, 1, height, width * blocks, tile.row * blocks});
                    continue;
                }
                for (uint32_t b = 0; b < blocks; ++b) {
                    Take(at[b * windows::lanes / blocks],
                         of[b * windows::lanes / blocks],
                         {reach.count,
                          blocks,
                          reach.from_step * blocks,
                          height,
                          width * blocks,
                          tile.row * blocks});
                }
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    // -> (depth in, height out, width out)
    __aicore__ inline void AlongHeight(const AscendC::LocalTensor<C>& to,
                                       const AscendC::LocalTensor<C>& from,
                                       const windows::Tile& tile) {
        const uint32_t width = tile.out[2].count;
        const uint32_t row = width * blocks;
        Start(to, tile.in[0].count * tile.out[1].count * width);
        for (uint32_t k = 0; k < t.windows.axis[1].taps; ++k) {
            const windows::Reach reach =
                windows::ReachOf(t.windows.axis[1], false, tile.out[1], tile.in[1], k);
            for (uint32_t d = 0; d < tile.in[0].count && reach.count > 0; ++d) {
                Take(to[(d * tile.out[1].count + reach.to) * width * windows::lanes],
                     from[(d * tile.in[1].count + reach.from) * width * windows::lanes],
                     {row, 1, 1, reach.count, row, reach.from_step * row});
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    // -> (depth out, height out, width out)
    __aicore__ inline void AlongDepth(const AscendC::LocalTensor<C>& to,
                                      const AscendC::LocalTensor<C>& from,
                                      const windows::Tile& tile) {
        const uint32_t slice = tile.out[1].count * tile.out[2].count;
        Start(to, tile.positions);
        for (uint32_t k = 0; k < t.windows.axis[0].taps; ++k) {
            const windows::Reach reach =
                windows::ReachOf(t.windows.axis[0], false, tile.out[0], tile.in[0], k);
            if (reach.count > 0) {
                Take(to[reach.to * slice * windows::lanes],
                     from[reach.from * slice * windows::lanes],
                     {slice * blocks, 1, 1, reach.count, slice * blocks, reach.from_step * slice * blocks});
            }
            AscendC::PipeBarrier<PIPE_V>();
        }
    }

    /// Taps of the window at `position` that count.
    __aicore__ inline static uint32_t Counted(const windows::Axis& axis, uint32_t position, bool padded) {
        const int32_t dilation = static_cast<int32_t>(axis.dilation);
        const int32_t start = static_cast<int32_t>(position * axis.stride) - axis.pad;
        const int32_t low = padded ? -axis.pad : 0;
        const int32_t high = static_cast<int32_t>(axis.in) + (padded ? axis.behind : 0);
        const int32_t begin = windows::Most(windows::Ceil(low - start, dilation), 0);
        const int32_t end =
            windows::Least(windows::Floor(high - 1 - start, dilation) + 1, static_cast<int32_t>(axis.taps));
        return end > begin ? end - begin : 1;
    }

    __aicore__ inline void Divide(const AscendC::LocalTensor<C>& sums, const windows::Tile& tile) {
        const windows::Axis* axis = t.windows.axis;
        const float taps = static_cast<float>(axis[0].taps * axis[1].taps * axis[2].taps);
        AscendC::Muls(
            sums,
            sums,
            1.0f / taps,
            static_cast<int32_t>(windows::Rounded(tile.positions, windows::lanes) * windows::lanes));
        AscendC::PipeBarrier<PIPE_V>();
        const uint32_t width = tile.out[2].count * blocks;
        const uint32_t height = tile.out[1].count;
        const uint32_t depth = tile.out[0].count;
        Correct(sums, 2, tile.out[2], {blocks, 1, 1, depth * height, width, width}, blocks);
        for (uint32_t d = 0; d < depth; ++d) {
            const AscendC::LocalTensor<C> slice = sums[d * height * width * block];
            Correct(slice, 1, tile.out[1], {width, 1, 1, 1, width, width}, width);
        }
        Correct(sums, 0, tile.out[0], {height * width, 1, 1, 1, 0, 0}, height * width);
    }

    /// Multiplies what lies at positions of an axis whose windows are cut.
    __aicore__ inline void Correct(const AscendC::LocalTensor<C>& sums,
                                   uint32_t axis,
                                   const windows::Range& out,
                                   const windows::Grid& grid,
                                   uint32_t apart) {
        const windows::Axis& along = t.windows.axis[axis];
        const uint32_t end = out.first + out.count;
        for (uint32_t o = out.first; o < end; ++o) {
            if (o >= along.whole_from && o < along.whole_end) {
                o = along.whole_end - 1;
                continue;
            }
            const uint32_t counted = Counted(along, o, t.padded != 0);
            const AscendC::LocalTensor<C> at = sums[(o - out.first) * apart * block];
            const windows::TakeScaled scale{static_cast<float>(along.taps) / static_cast<float>(counted)};
            windows::OverGrid(scale, at, at, grid);
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    static constexpr uint32_t block = 32 / sizeof(C);

    PoolTiling t;
    AscendC::TPipe pipe;
    Images images;
    AscendC::TBuf<AscendC::TPosition::VECCALC> first, second;
};
