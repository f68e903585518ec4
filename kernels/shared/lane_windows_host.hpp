// SPDX-License-Identifier: Apache-2.0
// How images are cut into tiles for kernels/shared/lane_windows.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/lane_windows.h"

namespace ascendsim::host {

/// Extents, windows, strides and so on of the axes behind the channels, as knobs state them; those in front
/// of a list shorter than three are one position long.
struct WindowKnobs {
    std::array<std::uint64_t, 3> in{1, 1, 1};
    std::array<std::uint64_t, 3> taps{1, 1, 1};
    std::array<std::uint64_t, 3> stride{1, 1, 1};
    std::array<std::uint64_t, 3> dilation{1, 1, 1};
    std::array<std::uint64_t, 3> before{0, 0, 0};
    std::array<std::uint64_t, 3> behind{0, 0, 0};
};

/// The knobs that every kernel of windows has.
[[nodiscard]] inline std::vector<Knob> window_knobs(const Shape& shape,
                                                    const Shape& window,
                                                    const Shape& strides,
                                                    const Shape& pads) {
    return {
        Knob::shape("shape", shape, "extents of x: batch, channels, and one to three axes"),
        Knob::shape("window", window, "taps along each of these axes"),
        Knob::shape("strides", strides, "from window to window along each axis; []: 1"),
        Knob::shape("dilations", {}, "from tap to tap along each axis; []: 1"),
        Knob::shape("pads", pads, "positions before each axis, then behind each; []: none"),
    };
}

/// Reads them. Throws the knobs' errors where their lengths do not fit or a number is out of range.
[[nodiscard]] inline WindowKnobs read_windows(const Knobs& knobs) {
    constexpr std::uint64_t farthest = 120;  // stride: two blocks a position, 255 blocks between them
    const Shape& shape = knobs.shape("shape");
    if (shape.size() < 3 || shape.size() > 5) {
        throw knobs.error("shape", "must have batch, channels, and one to three axes behind them");
    }
    const std::size_t rank = shape.size() - 2;
    WindowKnobs windows;
    const auto read =
        [&](const char* name, std::array<std::uint64_t, 3>& to, std::size_t skip, std::uint64_t most) {
            const Shape& list = knobs.shape(name);
            const std::size_t wanted = std::string_view{name} == "pads" ? 2 * rank : rank;
            if (list.empty() && std::string_view{name} != "window") {
                return;
            }
            if (list.size() != wanted) {
                throw knobs.error(name, fmt::format("needs {} numbers for {}", wanted, text(shape)));
            }
            const std::uint64_t least = wanted == rank ? 1 : 0;
            for (std::size_t i = 0; i < rank; ++i) {
                to[3 - rank + i] = list[skip + i];
                if (list[skip + i] < least || list[skip + i] > most) {
                    throw knobs.error(name, fmt::format("takes numbers from {} to {}", least, most));
                }
            }
        };
    for (std::size_t i = 0; i < rank; ++i) {
        windows.in[3 - rank + i] = shape[2 + i];
    }
    read("window", windows.taps, 0, 4096);
    read("strides", windows.stride, 0, farthest);
    read("dilations", windows.dilation, 0, 4096);
    read("pads", windows.before, 0, 4096);
    read("pads", windows.behind, rank, 4096);
    return windows;
}

/// How planes lie in global memory: each by itself, or sixteen channels side by side (NC1HWC0).
[[nodiscard]] inline Knob planes_layout_knob() {
    return Knob::word("layout",
                      {"planes", "blocks"},
                      "planes: (batch, channels, positions); blocks: (batch, channels / 16, positions, 16)");
}

/// True for blocks. Throws the knobs' errors where channels or the type of `size` bytes do not fill them.
[[nodiscard]] inline bool takes_blocks(const Knobs& knobs, std::uint64_t size) {
    if (knobs.word("layout") != "blocks") {
        return false;
    }
    if (knobs.shape("shape")[1] % windows::lanes != 0 || size != 2) {
        throw knobs.error("layout", "blocks are of 16 channels of two bytes each");
    }
    return true;
}

/// Extents in blocks of 16 channels.
[[nodiscard]] inline Shape in_blocks(const Shape& shape) {
    Shape blocks = shape;
    blocks[1] /= windows::lanes;
    blocks.push_back(windows::lanes);
    return blocks;
}

/// Elements of planes of `positions` each, put into blocks of 16 planes.
template <class T>
[[nodiscard]] std::vector<T> into_blocks(const std::vector<T>& planes, std::uint64_t positions) {
    std::vector<T> blocks(planes.size());
    for (std::uint64_t i = 0; i < planes.size(); ++i) {
        const std::uint64_t plane = i / positions;
        const std::uint64_t of = plane / windows::lanes * positions + i % positions;
        blocks[of * windows::lanes + plane % windows::lanes] = planes[i];
    }
    return blocks;
}

/// The other way.
template <class T>
[[nodiscard]] std::vector<T> out_of_blocks(const std::vector<T>& blocks, std::uint64_t positions) {
    std::vector<T> planes(blocks.size());
    for (std::uint64_t i = 0; i < planes.size(); ++i) {
        const std::uint64_t plane = i / positions;
        const std::uint64_t of = plane / windows::lanes * positions + i % positions;
        planes[i] = blocks[of * windows::lanes + plane % windows::lanes];
    }
    return planes;
}

/// Positions that a tile needs of each plane.
struct WindowRooms {
    std::uint64_t in = 0;
    std::uint64_t across = 0;  // once windows have gone along the width, or the height as well
    std::uint64_t out = 0;
};

[[nodiscard]] inline WindowRooms rooms_of(const windows::Tiling& t, std::uint64_t block) {
    std::array<std::uint64_t, 3> in{};
    for (std::size_t i = 0; i < 3; ++i) {
        const windows::Axis& axis = t.axis[i];
        const std::uint64_t reach = std::uint64_t{axis.taps - 1} * axis.dilation;
        const std::uint64_t most = t.transposed != 0 ? (axis.tile - 1 + reach) / axis.stride + 1
                                                     : std::uint64_t{axis.tile - 1} * axis.stride + reach + 1;
        in[i] = std::min<std::uint64_t>(most, axis.in);
    }
    in[2] = t.axis[2].tile == t.axis[2].out ? t.axis[2].in : in[2];  // whole rows
    const std::uint64_t row = in[2] == t.axis[2].in ? in[2] : round_up(in[2], block);
    const std::uint64_t higher = std::max<std::uint64_t>(in[1], t.axis[1].tile);
    const auto whole = [](std::uint64_t positions) {
        return round_up(positions, std::uint64_t{windows::lanes});
    };
    return {.in = in[0] * whole(in[1] * row),
            .across = whole(in[0] * higher * t.axis[2].tile),
            .out = whole(std::uint64_t{t.axis[0].tile} * t.axis[1].tile * t.axis[2].tile)};
}

/// True if what a tile writes of a plane are whole blocks of 32 B, at whole blocks.
[[nodiscard]] inline bool writes_whole_blocks(const windows::Tiling& t, std::uint64_t block) {
    const windows::Axis* axis = t.axis;
    const std::uint64_t slice = std::uint64_t{axis[1].out} * axis[2].out;
    const std::uint64_t step = axis[1].tile == axis[1].out   ? axis[0].tile * slice
                               : axis[2].tile == axis[2].out ? std::uint64_t{axis[1].tile} * axis[2].out
                                                             : axis[2].tile;
    return axis[0].out * slice % block == 0 && (step % block == 0 || t.units == 1) && slice % block == 0 &&
           (axis[2].tile == axis[2].out || axis[2].out % block == 0);
}

inline void set_tile(windows::Tiling& t, std::uint64_t depth, std::uint64_t height, std::uint64_t width) {
    const std::array<std::uint64_t, 3> tile{depth, height, width};
    for (std::size_t i = 0; i < 3; ++i) {
        t.axis[i].tile = static_cast<std::uint32_t>(tile[i]);
        t.axis[i].tiles = ceil_div(t.axis[i].out, t.axis[i].tile);
    }
}

/// Cuts the image so that the work ends first: whole slices, whole rows of one slice, or parts of one row,
/// for which `fits` holds. `groups` of planes, each with all tiles. False if no tile fits.
template <class Fits>
[[nodiscard]] bool cut_windows(
    windows::Tiling& t, std::uint64_t groups, std::uint64_t cores, std::uint64_t block, const Fits& fits) {
    constexpr std::uint64_t fixed = 64;  // what starting and draining a tile costs, in positions
    std::array<std::uint64_t, 3> best{};
    std::uint64_t least = ~std::uint64_t{0};
    const auto consider = [&](std::uint64_t depth, std::uint64_t height, std::uint64_t width) {
        set_tile(t, depth, height, width);
        const WindowRooms rooms = rooms_of(t, block);
        const std::uint64_t tiles = std::uint64_t{t.axis[0].tiles} * t.axis[1].tiles * t.axis[2].tiles;
        // One tile more: the first is read, and the last written, while nothing else happens.
        const std::uint64_t rounds = ceil_div(tiles * groups, cores) + 1;
        const std::uint64_t time = rounds * (rooms.in + rooms.out + fixed);
        if (time < least && fits(rooms)) {
            least = time;
            best = {depth, height, width};
        }
    };
    const auto each_part = [&](std::uint64_t extent, const auto& use) {
        std::uint64_t before = 0;
        for (std::uint64_t parts = 1; parts <= extent; ++parts) {
            const std::uint64_t tile = ceil_div(extent, parts);
            if (tile != before) {
                use(tile);
            }
            before = tile;
        }
    };
    const std::uint64_t height = t.axis[1].out;
    const std::uint64_t width = t.axis[2].out;
    each_part(t.axis[0].out, [&](std::uint64_t depth) { consider(depth, height, width); });
    each_part(height, [&](std::uint64_t rows) { consider(1, rows, width); });
    each_part(width, [&](std::uint64_t columns) {
        consider(1, 1, columns);
        consider(1, 1, round_up(columns, block));
    });
    if (best[0] == 0) {
        return false;
    }
    set_tile(t, best[0], best[1], best[2]);
    const WindowRooms rooms = rooms_of(t, block);
    t.room_in = static_cast<std::uint32_t>(rooms.in);
    t.room_across = static_cast<std::uint32_t>(rooms.across);
    t.room_out = static_cast<std::uint32_t>(rooms.out);
    t.units = std::uint64_t{t.axis[0].tiles} * t.axis[1].tiles * t.axis[2].tiles * groups;
    t.share = std::max<std::uint64_t>(ceil_div(t.units, cores), 1);
    return true;
}

}  // namespace ascendsim::host
