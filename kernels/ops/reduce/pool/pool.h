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
        // What lies between the last position and the next sixteenth is transposed as well.
        AscendC::Duplicate(first.template Get<C>(), C(0), static_cast<int32_t>(even * windows::lanes));
        AscendC::Duplicate(second.template Get<C>(), C(0), static_cast<int32_t>(odd * windows::lanes));
        AscendC::PipeBarrier<PIPE_V>();
    }

    __aicore__ inline void Process() {
        images.EachTile([this](const windows::Tile& tile) { Fetch(tile); },
                        [this](const windows::Tile& tile) { One(tile); });
    }

private:
    static constexpr uint32_t blocks = Images::blocks;

    /// Planes of a tile's sixteen that there are.
    [[nodiscard]] __aicore__ inline uint32_t PlanesOf(const windows::Tile& tile) const {
        const uint64_t left = t.planes - tile.group * windows::lanes;
        return left < windows::lanes ? left : windows::lanes;
    }

    __aicore__ inline void Fetch(const windows::Tile& tile) {
        AscendC::LocalTensor<T> x = images.inX.template AllocTensor<T>();
        images.Fetch(x, tile, tile.group * windows::lanes, PlanesOf(tile), 1);
        images.inX.EnQue(x);
    }

    __aicore__ inline void One(const windows::Tile& tile) {
        AscendC::LocalTensor<T> x = images.inX.template DeQue<T>();
        uint32_t lane[windows::lanes];
        for (uint32_t i = 0; i < windows::lanes; ++i) {
            lane[i] = i;
        }
        AscendC::LocalTensor<C> from = first.template Get<C>();
        AscendC::LocalTensor<C> to = second.template Get<C>();
        if (AsFetched()) {
            AlongWidth(to, x.template ReinterpretCast<C>(), tile);
        } else {
            images.Lanes(from, x, tile.in[0].count * tile.slice, lane);
        }
        images.inX.FreeTensor(x);
        if (!AsFetched()) {
            AlongWidth(to, from, tile);
        }
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
        images.Store(to, tile, tile.group * windows::lanes, PlanesOf(tile));
    }

    /// True if elements come in the order and the type of the arithmetic.
    [[nodiscard]] __aicore__ inline bool AsFetched() const {
        return !Images::converts && t.windows.in_blocks != 0;
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

    /// Each tap of the window along an axis: `tap(reach, starts)`. One in the middle, if it lies within the
    /// image for all positions, starts the result; else it starts with what changes nothing.
    template <typename F>
    __aicore__ inline void EachTap(const AscendC::LocalTensor<C>& to,
                                   uint32_t positions,
                                   const windows::Tile& tile,
                                   uint32_t axis,
                                   F tap) {
        const windows::Axis& along = t.windows.axis[axis];
        const uint32_t middle = along.taps / 2;
        const windows::Reach whole = windows::ReachOf(along, false, tile.out[axis], tile.in[axis], middle);
        const bool starts = whole.count == tile.out[axis].count;
        if (starts) {
            tap(whole, true);
            AscendC::PipeBarrier<PIPE_V>();
        } else {
            Start(to, positions);
        }
        for (uint32_t k = 0; k < along.taps; ++k) {
            if (starts && k == middle) {
                continue;
            }
            const windows::Reach reach = windows::ReachOf(along, false, tile.out[axis], tile.in[axis], k);
            if (reach.count > 0) {
                tap(reach, false);
                AscendC::PipeBarrier<PIPE_V>();
            }
        }
    }

    __aicore__ inline static void Take(const AscendC::LocalTensor<C>& to,
                                       const AscendC::LocalTensor<C>& from,
                                       const windows::Grid& grid,
                                       bool starts) {
        if (starts) {
            windows::OverGrid(windows::TakeFirst{}, to, from, grid);
        } else if constexpr (mean) {
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
        const uint32_t depth = tile.in[0].count;
        EachTap(to, depth * height * width, tile, 2, [&](const windows::Reach& reach, bool starts) {
            const bool near = reach.from_step == 1;  // blocks of a position follow each other
            const windows::Grid grid{near ? reach.count * blocks : reach.count,
                                     near ? 1 : blocks,
                                     near ? 1 : reach.from_step * blocks,
                                     height,
                                     width * blocks,
                                     tile.row * blocks};
            for (uint32_t d = 0; d < depth; ++d) {
                const uint32_t at = (d * height * width + reach.to) * windows::lanes;
                const uint32_t of = (d * tile.slice + reach.from) * windows::lanes;
                for (uint32_t b = 0; b < (near ? 1 : blocks); ++b) {
                    Take(to[at + b * block], from[of + b * block], grid, starts);
                }
            }
        });
    }

    // -> (depth in, height out, width out)
    __aicore__ inline void AlongHeight(const AscendC::LocalTensor<C>& to,
                                       const AscendC::LocalTensor<C>& from,
                                       const windows::Tile& tile) {
        const uint32_t width = tile.out[2].count;
        const uint32_t row = width * blocks;
        const uint32_t depth = tile.in[0].count;
        const uint32_t height = tile.out[1].count;
        EachTap(to, depth * height * width, tile, 1, [&](const windows::Reach& reach, bool starts) {
            const windows::Grid grid{row, 1, 1, reach.count, row, reach.from_step * row};
            for (uint32_t d = 0; d < depth; ++d) {
                Take(to[(d * height + reach.to) * width * windows::lanes],
                     from[(d * tile.in[1].count + reach.from) * width * windows::lanes],
                     grid,
                     starts);
            }
        });
    }

    // -> (depth out, height out, width out)
    __aicore__ inline void AlongDepth(const AscendC::LocalTensor<C>& to,
                                      const AscendC::LocalTensor<C>& from,
                                      const windows::Tile& tile) {
        const uint32_t slice = tile.out[1].count * tile.out[2].count;
        EachTap(to, tile.positions, tile, 0, [&](const windows::Reach& reach, bool starts) {
            const uint32_t row = slice * blocks;
            Take(to[reach.to * slice * windows::lanes],
                 from[reach.from * slice * windows::lanes],
                 {row, 1, 1, reach.count, row, reach.from_step * row},
                 starts);
        });
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
