// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/load3d.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "models/isa/cube/cube_kernel.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

// B/cycle for `rows` rows the kernel slides over in H, as the manual tabulates: stride 1, strides 2, 4, 8,
// others.
double load3d_rate(Memory memory, std::uint32_t stride, std::uint32_t rows, const Mte1Spec& mte1) {
    const bool left = memory != Memory::l0b;
    const double full = left ? mte1.l0a_bytes_per_cycle : mte1.l0b_bytes_per_cycle;
    const double port = 2.0 * mte1.l0a_bytes_per_cycle;  // 512 on 2201
    const double floor = left ? port / 16 : port / 18;
    const double extra = left ? 0 : 2;
    if (stride == 1) {
        return rows == 1 ? full : std::max(floor, port / (rows + 2 + extra));
    }
    if (stride == 2 || stride == 4 || stride == 8) {
        return std::max(floor, port / (2.0 * stride + extra + (rows == 1 ? 0 : rows)));
    }
    return floor;
}

}  // namespace

std::uint32_t Load3d::out_width() const {
    return (width + pad[0] + pad[1] - span(filter_w, dilation_w)) / std::max(1U, stride_w) + 1;
}

std::uint32_t Load3d::out_height() const {
    return (height + pad[2] + pad[3] - span(filter_h, dilation_h)) / std::max(1U, stride_h) + 1;
}

bool Load3d::legal() const {
    if (destination.offset % 512 != 0 || source % 32 != 0 || bits(type) < 8 ||
        (transpose && destination.memory == Memory::l0b)) {
        return false;
    }
    const bool positive =
        std::min({stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h, height, width}) > 0;
    return positive && width + pad[0] + pad[1] >= span(filter_w, dilation_w) &&
           height + pad[2] + pad[3] >= span(filter_h, dilation_h);
}

std::string Load3d::fault() const {
    if (destination.offset % 512 != 0 || source % 32 != 0) {
        return fmt::format(
            "destination at byte {} of {} must be a multiple of 512, source at byte {} of l1 of 32",
            destination.offset,
            name(destination.memory),
            source);
    }
    if (bits(type) < 8) {
        return fmt::format("{} is not a type of this load", name(type));
    }
    if (transpose && destination.memory == Memory::l0b) {
        return "a load to l0b is transposed already; transpose must be false";
    }
    return fmt::format("a filter of {} x {} (dilation {} x {}, stride {} x {}) does not fit a map of {} x {}",
                       filter_h,
                       filter_w,
                       dilation_h,
                       dilation_w,
                       stride_h,
                       stride_w,
                       height,
                       width);
}

void Load3d::accesses(Accesses& list) const {
    const std::uint64_t slices = ceil_div(channels, fractal_depth(type));
    list.read({Memory::l1, source}, slices * height * width * fractal_row_bytes);
    const std::uint32_t k0 = fractal_depth(type);
    const bool left = destination.memory == Memory::l0a && !transpose;
    const std::uint64_t fractals =
        left ? std::uint64_t{ceil_div(m_extent, fractal_rows)} * ceil_div(k_extent, k0)
             : std::uint64_t{ceil_div(m_extent, k0)} * ceil_div(k_extent, fractal_rows);
    list.write(destination, fractals * fractal_bytes);
}

void Load3d::time(const ChipSpec& chip, TimedOp& op) const {
    const std::uint64_t bytes = std::uint64_t{round_up(m_extent, fractal_rows)} *
                                round_up(k_extent, fractal_depth(type)) * bits(type) / 8;
    // A fractal's 16 output positions lie in one row of the output, or wrap into the next ones.
    const std::uint32_t rows = std::min(ceil_div(fractal_rows, std::max(1U, out_width())), out_height());
    const double rate = load3d_rate(destination.memory, stride_w, rows, chip.mte1);
    op.pipe = Pipe::mte1;
    op.occupies =
        chip.mte1.gap_cycles + static_cast<std::uint32_t>(static_cast<double>(bytes) / rate + 0.999);
    op.latency = chip.mte1.load3d_latency;
    op.bytes = static_cast<std::uint32_t>(bytes);
    op.memory = destination.memory;
    op.offset = destination.offset;
}

// The value's address in L1, or null where the padding is.
const std::byte* Load3d::at(const std::byte* map, std::uint32_t row, std::uint32_t column) const {
    const std::uint32_t c0 = fractal_depth(type);
    const std::uint32_t tap = column / c0 % (filter_w * filter_h);
    const std::uint32_t slice = column / c0 / (filter_w * filter_h);
    // Unsigned: left of and above the map wraps to beyond its end.
    const std::uint32_t y = row / out_width() * stride_h + tap / filter_w * dilation_h - pad[2];
    const std::uint32_t x = row % out_width() * stride_w + tap % filter_w * dilation_w - pad[0];
    if (y >= height || x >= width || slice >= ceil_div(channels, c0)) {
        return nullptr;
    }
    const std::size_t position = (std::size_t{slice} * height + y) * width + x;
    return map + position * fractal_row_bytes + std::size_t{column % c0} * (bits(type) / 8);
}

void Load3d::execute(CorePort& core) const {
    const std::uint32_t k0 = fractal_depth(type);
    const std::size_t element = bits(type) / 8;
    const bool plain = destination.memory == Memory::l0a && !transpose;
    // Rows and depth of the destination: A's m and k, or B's n and k.
    const std::uint32_t rows = plain ? m_extent : k_extent;
    const std::uint32_t depth = plain ? k_extent : m_extent;
    const std::uint32_t row_blocks = ceil_div(rows, fractal_rows);
    const std::uint32_t depth_blocks = ceil_div(depth, k0);
    const std::byte* map = core.at({Memory::l1, source});
    std::byte* to = core.at(destination);
    for (std::uint32_t row = 0; row < row_blocks * fractal_rows; ++row) {
        for (std::uint32_t column = 0; column < depth_blocks * k0; ++column) {
            const std::size_t block = destination.memory == Memory::l0a
                                          ? std::size_t{row / fractal_rows} * depth_blocks + column / k0
                                          : std::size_t{column / k0} * row_blocks + row / fractal_rows;
            const std::uint32_t m = m_start + (plain ? row : column);
            const std::uint32_t k = k_start + (plain ? column : row);
            const std::byte* value = m < out_width() * out_height() ? at(map, m, k) : nullptr;
            std::byte* cell = to + block * fractal_bytes + (row % fractal_rows * k0 + column % k0) * element;
            std::memcpy(
                cell, value != nullptr ? value : reinterpret_cast<const std::byte*>(&padding), element);
        }
    }
}

}  // namespace ascendsim::isa
