// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/load2d.hpp"

#include <array>
#include <cstring>

#include <fmt/format.h>

#include "models/isa/cube/cube_kernel.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

std::string load_fault(Local destination, std::uint32_t source, std::uint32_t repeat) {
    if (repeat > 255) {
        return fmt::format("repeat {}: at most 255", repeat);
    }
    if (destination.offset % 512 != 0) {
        return fmt::format("the destination is at byte {} of {}; it must start at a multiple of 512",
                           destination.offset,
                           name(destination.memory));
    }
    return fmt::format("the source is at byte {} of l1; it must start at a multiple of 32", source);
}

void load_time(const ChipSpec& chip, Local destination, std::uint64_t bytes, TimedOp& op) {
    op.pipe = Pipe::mte1;
    op.occupies = chip.mte1.gap_cycles + l0_load_cycles(chip.mte1, destination.memory, bytes);
    op.latency = chip.mte1.load2d_latency;
    op.bytes = static_cast<std::uint32_t>(bytes);
    op.memory = destination.memory;
    op.offset = destination.offset;
}

void transpose_16x16(const std::byte* from, std::byte* to) {
    std::array<std::uint16_t, 256> in;
    std::array<std::uint16_t, 256> out;
    std::memcpy(in.data(), from, sizeof(in));
    for (std::uint32_t row = 0; row < 16; ++row) {
        for (std::uint32_t column = 0; column < 16; ++column) {
            out[column * 16 + row] = in[row * 16 + column];
        }
    }
    std::memcpy(to, out.data(), sizeof(out));
}

// Element (row, column) of a block, as bits; the block's fractals lie one after the other.
struct Block {
    std::uint32_t element_bits;

    [[nodiscard]] std::uint32_t side() const { return element_bits == 32 ? 16 : 256 / element_bits; }

    [[nodiscard]] std::uint32_t fractal(std::uint32_t row, std::uint32_t column) const {
        return element_bits == 32 ? column / 8
                                  : row / 16;  // 32-bit fractals lie side by side, others below each other
    }

    // Index of the element in its fractal.
    [[nodiscard]] std::uint32_t cell(std::uint32_t row, std::uint32_t column) const {
        const std::uint32_t depth = 256 / element_bits;
        return row % 16 * depth + column % depth;
    }
};

std::uint32_t get(const std::byte* fractal, std::uint32_t cell, std::uint32_t element_bits) {
    if (element_bits == 4) {
        return (std::to_integer<std::uint32_t>(fractal[cell / 2]) >> (cell % 2 * 4)) & 0xFU;
    }
    std::uint32_t value = 0;
    std::memcpy(&value, fractal + cell * (element_bits / 8), element_bits / 8);
    return value;
}

void put(std::byte* fractal, std::uint32_t cell, std::uint32_t element_bits, std::uint32_t value) {
    if (element_bits == 4) {
        const std::uint32_t shift = cell % 2 * 4;
        const auto old = std::to_integer<std::uint32_t>(fractal[cell / 2]);
        fractal[cell / 2] = static_cast<std::byte>((old & ~(0xFU << shift)) | (value << shift));
        return;
    }
    std::memcpy(fractal + cell * (element_bits / 8), &value, element_bits / 8);
}

}  // namespace

std::uint32_t l0_load_cycles(const Mte1Spec& mte1, Memory memory, std::uint64_t bytes) {
    const std::uint64_t rate = memory == Memory::l0b ? mte1.l0b_bytes_per_cycle : mte1.l0a_bytes_per_cycle;
    return static_cast<std::uint32_t>(ceil_div(bytes, rate));
}

std::string Load2d::fault() const {
    if (backwards && underruns()) {
        return fmt::format(
            "{} fractals back from fractal {} of l1 lies before its start", span(), source / 512 + start);
    }
    return load_fault(destination, source, repeat);
}

void Load2d::accesses(Accesses& list) const {
    const std::uint64_t first = source + (std::uint64_t{start} - (backwards ? span() : 0)) * fractal_bytes;
    list.read({.memory = Memory::l1,
               .offset = first,
               .row_bytes = fractal_bytes,
               .rows = repeat,
               .pitch = std::uint64_t{source_stride} * fractal_bytes});
    list.write({.memory = destination.memory,
                .offset = destination.offset,
                .row_bytes = fractal_bytes,
                .rows = repeat,
                .pitch = std::uint64_t{gap + 1} * fractal_bytes});
}

void Load2d::time(const ChipSpec& chip, TimedOp& op) const {
    load_time(chip, destination, std::uint64_t{repeat} * fractal_bytes, op);
}

void Load2d::execute(CorePort& core) const {
    const std::byte* from = core.at({Memory::l1, source + start * fractal_bytes});
    std::byte* to = core.at(destination);
    const std::ptrdiff_t step = std::ptrdiff_t{source_stride} * fractal_bytes * (backwards ? -1 : 1);
    for (std::uint32_t i = 0; i < repeat; ++i) {
        if (transpose) {
            transpose_16x16(from, to);
        } else {
            std::memcpy(to, from, fractal_bytes);
        }
        from += step;
        to += std::size_t{gap + 1} * fractal_bytes;
    }
}

std::string LoadTransposed::fault() const {
    return load_fault(destination, source, repeat);
}

void LoadTransposed::accesses(Accesses& list) const {
    const std::uint64_t block = std::uint64_t{block_fractals()} * fractal_bytes;
    list.read({.memory = Memory::l1,
               .offset = source + start * block,
               .row_bytes = block,
               .rows = repeat,
               .pitch = source_stride * block});
    for (std::uint32_t f = 0; f < block_fractals(); ++f) {
        list.write({.memory = destination.memory,
                    .offset = destination.offset + std::uint64_t{f} * (fractal_gap + 1) * fractal_bytes,
                    .row_bytes = fractal_bytes,
                    .rows = repeat,
                    .pitch = std::uint64_t{gap + 1} * fractal_bytes});
    }
}

void LoadTransposed::time(const ChipSpec& chip, TimedOp& op) const {
    load_time(chip, destination, std::uint64_t{repeat} * block_fractals() * fractal_bytes, op);
}

void LoadTransposed::execute(CorePort& core) const {
    const Block block{element_bits};
    const std::size_t block_bytes = std::size_t{block_fractals()} * fractal_bytes;
    for (std::uint32_t i = 0; i < repeat; ++i) {
        const std::byte* from = core.at({Memory::l1, source}) +
                                (std::size_t{start} + std::size_t{i} * source_stride) * block_bytes;
        std::byte* to = core.at(destination) + std::size_t{i} * (gap + 1) * fractal_bytes;
        if (element_bits == 16) {
            transpose_16x16(from, to);
            continue;
        }
        for (std::uint32_t row = 0; row < block.side(); ++row) {
            for (std::uint32_t column = 0; column < block.side(); ++column) {
                const std::byte* in = from + std::size_t{block.fractal(column, row)} * fractal_bytes;
                std::byte* out =
                    to + std::size_t{block.fractal(row, column)} * (fractal_gap + 1) * fractal_bytes;
                put(out,
                    block.cell(row, column),
                    element_bits,
                    get(in, block.cell(column, row), element_bits));
            }
        }
    }
}

}  // namespace ascendsim::isa
