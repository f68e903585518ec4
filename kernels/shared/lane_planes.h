// SPDX-License-Identifier: Apache-2.0
// The way of sixteen planes into the unified buffer, side by side, and back (kernels/shared/lane_windows.h).
#pragma once

#include "kernels/shared/lane_windows.h"

namespace windows {

/// A tile: the output positions, what they read, and how that lies in the unified buffer.
struct Tile {
    Range out[3];
    Range in[3];
    uint64_t group;      // of sixteen planes
    uint32_t row;        // positions from row to row of the image
    uint32_t slice;      // from one depth to the next
    uint32_t positions;  // of a plane, out
};

/// The way of planes in and out, for elements of T in global memory and of C in the arithmetic.
template <typename T, typename C>
class Planes {
public:
    using Moved = std::conditional_t<sizeof(T) == 2, half, float>;  // what transposes
    static constexpr bool converts = !std::is_same_v<T, C>;
    static constexpr uint32_t blocks = lanes * sizeof(C) / 32;  // of a position
    static constexpr uint32_t block = 32 / sizeof(T);           // elements

    __aicore__ inline Planes(GM_ADDR x, GM_ADDR y, const Tiling& tiling) : t(tiling) {
        xGm.SetGlobalBuffer((__gm__ T*)x);
        yGm.SetGlobalBuffer((__gm__ T*)y);
    }

    /// `weights`: positions of what is put side by side besides planes.
    __aicore__ inline void Reserve(AscendC::TPipe& pipe, uint32_t weights = 0) {
        const uint32_t planes = t.room_in > t.room_out ? t.room_in : t.room_out;
        const uint32_t larger = planes > weights ? planes : weights;
        pipe.InitBuffer(inX, t.buffers, t.room_in * lanes * sizeof(T));
        pipe.InitBuffer(outY, t.buffers, t.room_out * lanes * sizeof(T));
        if constexpr (converts) {
            pipe.InitBuffer(narrow, larger * lanes * sizeof(T));
        }
        for (uint32_t i = 0; i < t.buffers; ++i) {  // what a tile does not fill is transposed as well
            AscendC::LocalTensor<T> x = inX.template AllocTensor<T>();
            AscendC::Duplicate(x.template ReinterpretCast<int16_t>(),
                               int16_t{0},
                               static_cast<int32_t>(t.room_in * lanes * sizeof(T) / 2));
            inX.FreeTensor(x);
        }
    }

    /// The tiles of this core: `work(tile)` for one after the other, and `fetch(tile)` before it; while one
    /// is worked on, the next is fetched.
    template <typename Fetch, typename Work>
    __aicore__ inline void EachTile(Fetch fetch, Work work) {
        const uint64_t begin = t.share * AscendC::GetBlockIdx();
        if (begin >= t.units) {
            return;
        }
        uint32_t at[3];
        uint64_t group = begin;
        for (uint32_t i = 3; i-- > 0;) {
            at[i] = static_cast<uint32_t>(group % t.axis[i].tiles);
            group /= t.axis[i].tiles;
        }
        const uint64_t count = t.units - begin < t.share ? t.units - begin : t.share;
        Tile tile = TileAt(at, group);
        fetch(tile);
        for (uint64_t u = 0; u < count; ++u) {
            for (uint32_t i = 3; i-- > 0;) {
                if (++at[i] < t.axis[i].tiles) {
                    break;
                }
                at[i] = 0;
                group += i == 0 ? 1 : 0;
            }
            const bool more = u + 1 < count;
            const Tile next = more ? TileAt(at, group) : tile;
            if (more && t.buffers > 1) {
                fetch(next);
            }
            work(tile);
            if (more && t.buffers == 1) {
                fetch(next);
            }
            tile = next;
        }
    }

    [[nodiscard]] __aicore__ inline Tile TileAt(const uint32_t (&at)[3], uint64_t group) const {
        Tile tile{};
        for (uint32_t i = 0; i < 3; ++i) {
            const Axis& axis = t.axis[i];
            const uint32_t first = at[i] * axis.tile;
            tile.out[i] = {first, axis.out - first < axis.tile ? axis.out - first : axis.tile};
            tile.in[i] = InputOf(axis, t.transposed != 0, tile.out[i]);
        }
        tile.group = group;
        if (t.axis[2].tiles == 1) {
            tile.in[2] = {0, t.axis[2].in};  // rows that follow each other come as one run
        }
        tile.row = tile.in[2].count == t.axis[2].in ? tile.in[2].count : Rounded(tile.in[2].count, block);
        tile.slice = Rounded(tile.in[1].count * tile.row, lanes);
        tile.positions = tile.out[0].count * tile.out[1].count * tile.out[2].count;
        return tile;
    }

    /// True if nothing of the image lies below the tile's windows.
    [[nodiscard]] __aicore__ inline static bool Empty(const Tile& tile) {
        return tile.in[0].count == 0 || tile.in[1].count == 0 || tile.in[2].count == 0;
    }

    [[nodiscard]] __aicore__ inline uint64_t PlaneIn() const {
        return uint64_t{t.axis[0].in} * t.axis[1].in * t.axis[2].in;
    }

    [[nodiscard]] __aicore__ inline uint64_t PlaneOut() const {
        return uint64_t{t.axis[0].out} * t.axis[1].out * t.axis[2].out;
    }

    /// The tile's part of `count` planes, `apart` planes from one to the next -> (count, positions) UB. In
    /// blocks the sixteen from `plane` on -> (positions, 16) UB.
    __aicore__ inline void Fetch(
        const AscendC::LocalTensor<T>& x, const Tile& tile, uint64_t plane, uint32_t count, uint64_t apart) {
        const uint64_t height = t.axis[1].in;
        const uint64_t width = t.axis[2].in;
        const uint64_t corner =
            (uint64_t{tile.in[0].first} * height + tile.in[1].first) * width + tile.in[2].first;
        const uint64_t from = First(plane) * PlaneIn() + corner;
        const uint32_t pitch = tile.in[0].count * tile.slice;
        const uint32_t runs = t.in_blocks != 0 ? 1 : count;
        const bool whole_rows = tile.in[2].count == width;
        const uint32_t run = whole_rows ? tile.in[1].count * tile.in[2].count : tile.in[2].count;
        if (whole_rows && tile.in[0].count == 1) {
            CopyRuns(x, from, runs, run, apart * PlaneIn(), pitch);
            return;
        }
        for (uint32_t p = 0; p < runs; ++p) {
            const uint64_t at = from + p * apart * PlaneIn();
            if (whole_rows) {
                CopyRuns(x[p * pitch * Together()], at, tile.in[0].count, run, height * width, tile.slice);
                continue;
            }
            for (uint32_t d = 0; d < tile.in[0].count; ++d) {
                CopyRuns(x[(p * pitch + d * tile.slice) * Together()],
                         at + d * height * width,
                         tile.in[1].count,
                         run,
                         width,
                         tile.row);
            }
        }
    }

    /// What was fetched -> (positions, 16); lane i is of plane[i], or in blocks of plane i.
    __aicore__ inline void Lanes(const AscendC::LocalTensor<C>& image,
                                 const AscendC::LocalTensor<T>& x,
                                 uint32_t pitch,
                                 uint32_t (&plane)[lanes]) {
        if constexpr (converts) {
            if (t.in_blocks != 0) {
                AscendC::Cast(image, x, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(pitch * lanes));
                AscendC::PipeBarrier<PIPE_V>();
                return;
            }
        }
        SideBySide(image, x, pitch, plane);
    }

    /// (planes, positions) UB -> (positions, 16); lane i is of plane[i].
    __aicore__ inline void SideBySide(const AscendC::LocalTensor<C>& image,
                                      const AscendC::LocalTensor<T>& x,
                                      uint32_t pitch,
                                      uint32_t (&plane)[lanes]) {
        AscendC::LocalTensor<Moved> to;
        if constexpr (converts) {
            to = narrow.template Get<Moved>();
        } else {
            to = image.template ReinterpretCast<Moved>();
        }
        const uint64_t from = x.GetPhyAddr();
        const uint64_t target_at = to.GetPhyAddr();
        const uint32_t total = pitch / block;
        for (uint32_t r = 0; r < total; r += 255) {
            uint64_t source[lanes];
            uint64_t target[lanes];
            for (uint32_t i = 0; i < lanes; ++i) {
                source[i] = from + (plane[i] * pitch + r * block) * sizeof(T);
                // Of four bytes, eight lanes fill a block: two of a position follow each other.
                target[i] = target_at + (r * lanes + i) * 32;
            }
            AscendC::TransDataTo5HD<Moved>(target, source, Repeats(total - r, lanes, 1));
        }
        if constexpr (converts) {
            AscendC::PipeBarrier<PIPE_V>();
            AscendC::Cast(image,
                          narrow.template Get<T>(),
                          AscendC::RoundMode::CAST_NONE,
                          static_cast<int32_t>(pitch * lanes));
        }
        AscendC::PipeBarrier<PIPE_V>();
    }

    /// (positions, 16) -> (16, pitch) UB -> GM, `count` planes from `plane` on.
    __aicore__ inline void Store(const AscendC::LocalTensor<C>& result,
                                 const Tile& tile,
                                 uint64_t plane,
                                 uint32_t count) {
        if (t.in_blocks != 0) {
            StoreBlocks(result, tile, plane);
            return;
        }
        const uint32_t pitch = Rounded(tile.positions, lanes);
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        if constexpr (converts) {
            const AscendC::LocalTensor<T> rounded = narrow.template Get<T>();
            AscendC::Cast(
                rounded, result, AscendC::RoundMode::CAST_RINT, static_cast<int32_t>(pitch * lanes));
            AscendC::PipeBarrier<PIPE_V>();
            Apart(y.template ReinterpretCast<Moved>(), rounded.template ReinterpretCast<Moved>(), pitch);
        } else {
            Apart(y.template ReinterpretCast<Moved>(), result.template ReinterpretCast<Moved>(), pitch);
        }
        AscendC::PipeBarrier<PIPE_V>();
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        Give(y, tile, plane, count, pitch);
        outY.FreeTensor(y);
    }

    Tiling t;
    AscendC::TQue<AscendC::TPosition::VECIN, 2> inX;

private:
    /// Planes that lie side by side in global memory.
    [[nodiscard]] __aicore__ inline uint32_t Together() const { return t.in_blocks != 0 ? lanes : 1; }

    /// The plane, or the sixteen, in global memory that plane belongs to.
    [[nodiscard]] __aicore__ inline uint64_t First(uint64_t plane) const { return plane / Together(); }

    /// (positions, 16) -> UB -> GM, the sixteen planes from `plane` on.
    __aicore__ inline void StoreBlocks(const AscendC::LocalTensor<C>& result,
                                       const Tile& tile,
                                       uint64_t plane) {
        AscendC::LocalTensor<T> y = outY.template AllocTensor<T>();
        const uint32_t count = tile.positions * lanes;
        if constexpr (converts) {
            AscendC::Cast(y, result, AscendC::RoundMode::CAST_RINT, static_cast<int32_t>(count));
        } else {
            AscendC::DataCopy(y, result, count);
        }
        outY.template EnQue<T>(y);
        y = outY.template DeQue<T>();
        CopyRunsOut((First(plane) * PlaneOut() + Corner(tile)) * lanes, y, 1, count, count, count);
        outY.FreeTensor(y);
    }

    /// The first position of a tile in a plane of the result.
    [[nodiscard]] __aicore__ inline uint64_t Corner(const Tile& tile) const {
        return (uint64_t{tile.out[0].first} * t.axis[1].out + tile.out[1].first) * t.axis[2].out +
               tile.out[2].first;
    }

    __aicore__ inline static AscendC::TransDataTo5HDParams Repeats(uint32_t left,
                                                                   uint32_t to,
                                                                   uint32_t from) {
        AscendC::TransDataTo5HDParams params;
        params.repeatTimes = static_cast<uint8_t>(left < 255 ? left : 255);
        params.dstRepStride = left > 1 ? to : 0;
        params.srcRepStride = left > 1 ? from : 0;
        return params;
    }

    __aicore__ inline static void Apart(const AscendC::LocalTensor<Moved>& to,
                                        const AscendC::LocalTensor<Moved>& from,
                                        uint32_t pitch) {
        constexpr uint32_t parts = lanes / block;  // of eight or sixteen planes
        const uint64_t from_at = from.GetPhyAddr();
        const uint64_t to_at = to.GetPhyAddr();
        const uint32_t total = pitch / lanes;
        for (uint32_t part = 0; part < parts; ++part) {
            for (uint32_t r = 0; r < total; r += 255) {
                uint64_t source[lanes];
                uint64_t target[lanes];
                for (uint32_t i = 0; i < lanes; ++i) {
                    source[i] = from_at + (((r * lanes + i) * lanes + part * block) * sizeof(T));
                    target[i] = to_at + ((part * block + i / parts) * pitch + r * lanes + i % parts * block) *
                                            sizeof(T);
                }
                AscendC::TransDataTo5HD<Moved>(target, source, Repeats(total - r, parts, lanes * parts));
            }
        }
    }

    /// `count` runs of `run` positions, `stride` apart in global memory and `pitch` in the unified buffer.
    __aicore__ inline void CopyRuns(const AscendC::LocalTensor<T>& to,
                                    uint64_t from_position,
                                    uint32_t count,
                                    uint32_t positions,
                                    uint64_t positions_apart,
                                    uint32_t pitch_of_positions) {
        const uint64_t from = from_position * Together();
        const uint32_t run = positions * Together();
        const uint64_t stride = positions_apart * Together();
        const uint32_t pitch = pitch_of_positions * Together();
#if KERNEL_HAS_COPY_PAD
        AscendC::DataCopyPad(to,
                             xGm[from],
                             AscendC::DataCopyExtParams(count,
                                                        run * static_cast<uint32_t>(sizeof(T)),
                                                        static_cast<uint32_t>((stride - run) * sizeof(T)),
                                                        (pitch - Rounded(run, block)) / block,
                                                        0),
                             AscendC::DataCopyPadExtParams<T>());
#else
        for (uint32_t i = 0; i < count; ++i) {
            const uint64_t at = from + i * stride;
            const uint32_t padded = Rounded(run, block);  // whole blocks, where that stays within x
            CopyElementsIn(to[i * pitch], xGm[at], at + padded <= t.elements ? padded : run);
        }
#endif
    }

    __aicore__ inline void Give(
        const AscendC::LocalTensor<T>& y, const Tile& tile, uint64_t plane, uint32_t count, uint32_t pitch) {
        // A tile is of whole rows or of one row, and of whole slices or of one: one run in each plane.
        CopyRunsOut(plane * PlaneOut() + Corner(tile), y, count, tile.positions, PlaneOut(), pitch);
    }

    __aicore__ inline void CopyRunsOut(uint64_t to,
                                       const AscendC::LocalTensor<T>& from,
                                       uint32_t count,
                                       uint32_t run,
                                       uint64_t stride,
                                       uint32_t pitch) {
#if KERNEL_HAS_COPY_PAD
        AscendC::DataCopyPad(
            yGm[to],
            from,
            AscendC::DataCopyExtParams(count,
                                       run * static_cast<uint32_t>(sizeof(T)),
                                       (pitch - Rounded(run, block)) / block,
                                       count > 1 ? static_cast<uint32_t>((stride - run) * sizeof(T)) : 0,
                                       0));
#else
        for (uint32_t i = 0; i < count; ++i) {
            AscendC::DataCopy(yGm[to + i * stride], from[i * pitch], run);
        }
#endif
    }

    AscendC::GlobalTensor<T> xGm, yGm;
    AscendC::TQue<AscendC::TPosition::VECOUT, 1> outY;
    AscendC::TBuf<AscendC::TPosition::VECCALC> narrow;
};

}  // namespace windows
