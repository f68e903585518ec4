// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/sparse.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "models/isa/cube/cube_kernel.hpp"
#include "models/isa/cube/load2d.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

constexpr std::uint32_t index_bytes = fractal_bytes / 4;  // of a fractal
constexpr std::uint32_t index_row_bytes = fractal_row_bytes / 4;

/// The indices of the weights at `offset` of L0B: the core keeps room for them behind L0B.
std::byte* indices(CorePort& core, std::uint32_t offset) {
    return core.at({Memory::l0b, core.chip().buffers.l0b + offset / 4});
}

std::uint32_t kept(std::uint32_t k) {
    return ceil_div(k, 2U);
}

/// The place in A's rows of each of 32 kept weights of a column, counted from the first of their 64.
std::array<std::uint32_t, fractal_row_bytes> places(const std::byte* index) {
    std::array<std::uint32_t, fractal_row_bytes> result{};
    for (std::uint32_t i = 0; i < fractal_row_bytes; ++i) {
        const auto packed = std::to_integer<std::uint32_t>(index[i / 4]);
        result[i] = i / 2 * 4 + ((packed >> (i % 4 * 2)) & 3U) + i % 2;
    }
    return result;
}

std::int32_t start_value(CorePort& core, const Mmad& product, std::uint32_t column, const std::byte* cell) {
    std::int32_t value = 0;
    if (product.start == Mmad::Start::l0c) {
        std::memcpy(&value, cell, sizeof(value));
    } else if (product.start == Mmad::Start::bias_table) {
        const std::uint32_t at = product.bias + column * static_cast<std::uint32_t>(sizeof(value));
        std::memcpy(&value, core.at({Memory::bias_table, at}), sizeof(value));
    }
    return value;
}

/// One block of a cell's sum, which wraps as two's complement does: the places `chosen` of a row of A, which
/// `fractals` begins, times the weights. Places at or past `valid` are behind the end of k.
std::uint32_t chosen_sum(const std::int8_t* fractals,
                         const std::int8_t* weights,
                         const std::array<std::uint32_t, fractal_row_bytes>& chosen,
                         std::uint32_t valid) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < fractal_row_bytes; ++i) {
        if (chosen[i] < valid) {
            sum += static_cast<std::uint32_t>(
                fractals[chosen[i] / fractal_row_bytes * fractal_bytes + chosen[i] % fractal_row_bytes] *
                weights[i]);
        }
    }
    return sum;
}

std::int32_t value_at(const std::byte* cell) {
    std::int32_t value = 0;
    std::memcpy(&value, cell, sizeof(value));
    return value;
}

}  // namespace

std::string LoadSparse::fault() const {
    if (repeat > 255) {
        return fmt::format("repeat {}: at most 255", repeat);
    }
    if (destination % 512 != 0) {
        return fmt::format("the destination is at byte {} of l0b; it must start at a multiple of 512",
                           destination);
    }
    return fmt::format("weights at byte {} and indices at byte {} of l1; both must start at a multiple of 32",
                       source,
                       index);
}

void LoadSparse::accesses(Accesses& list) const {
    if (repeat == 0) {
        return;
    }
    list.read({Memory::l1, source + start * fractal_bytes}, std::uint64_t{repeat} * fractal_bytes);
    list.read({Memory::l1, index + start * index_bytes}, std::uint64_t{repeat} * index_bytes);
    list.write({Memory::l0b, destination}, std::uint64_t{repeat} * fractal_bytes);
}

// Documents name no rate for the indices: they are taken to pass the port to L0B with the weights.
void LoadSparse::time(const ChipSpec& chip, TimedOp& op) const {
    const std::uint32_t bytes = repeat * (fractal_bytes + index_bytes);
    op.pipe = Pipe::mte1;
    op.occupies = chip.mte1.gap_cycles + l0_load_cycles(chip.mte1, Memory::l0b, bytes);
    op.latency = chip.mte1.load2d_latency;
    op.bytes = bytes;
    op.memory = Memory::l0b;
    op.offset = destination;
}

void LoadSparse::execute(CorePort& core) const {
    std::memcpy(core.at({Memory::l0b, destination}),
                core.at({Memory::l1, source + start * fractal_bytes}),
                std::size_t{repeat} * fractal_bytes);
    std::memcpy(indices(core, destination),
                core.at({Memory::l1, index + start * index_bytes}),
                std::size_t{repeat} * index_bytes);
}

std::string MmadSparse::fault() const {
    if (product.a_type != DataType::int8 || product.b_type != DataType::int8 ||
        product.c_type != DataType::int32) {
        return "sparse weights: both operands must be int8, the result int32";
    }
    return product.legal() ? std::string{} : product.fault();
}

void MmadSparse::accesses(Accesses& list) const {
    if (product.m == 0 || product.n == 0 || product.k == 0) {
        return;
    }
    const std::uint64_t rows = ceil_div(product.m, fractal_rows);
    const std::uint64_t columns = ceil_div(product.n, fractal_rows);
    const std::uint64_t result = rows * columns * fractal_cells * sizeof(std::int32_t);
    list.read({Memory::l0a, product.a}, rows * ceil_div(product.k, fractal_row_bytes) * fractal_bytes);
    list.read({Memory::l0b, product.b},
              columns * ceil_div(kept(product.k), fractal_row_bytes) * fractal_bytes);
    if (product.start == Mmad::Start::l0c) {
        list.read({Memory::l0c, product.c}, result);
    } else if (product.start == Mmad::Start::bias_table) {
        list.read({Memory::bias_table, product.bias}, std::uint64_t{product.n} * sizeof(std::int32_t));
    }
    list.write({Memory::l0c, product.c}, result);
}

// What was chosen is multiplied as Mmad does: half as deep.
void MmadSparse::time(const ChipSpec& chip, TimedOp& op) const {
    Mmad chosen = product;
    chosen.k = kept(product.k);
    chosen.time(chip, op);
}

void MmadSparse::execute(CorePort& core) const {
    const std::uint32_t rows = ceil_div(product.m, fractal_rows) * fractal_rows;
    const std::uint32_t columns = ceil_div(product.n, fractal_rows);
    const std::uint32_t depth = ceil_div(product.k, fractal_row_bytes);  // fractals of A
    const std::uint32_t blocks = product.k == 0 ? 0 : ceil_div(kept(product.k), fractal_row_bytes);
    const auto* a = reinterpret_cast<const std::int8_t*>(core.at({Memory::l0a, product.a}));
    const auto* b = reinterpret_cast<const std::int8_t*>(core.at({Memory::l0b, product.b}));
    const std::byte* index = indices(core, product.b);
    std::byte* c = core.at({Memory::l0c, product.c});
    for (std::uint32_t column = 0; column < product.n && blocks > 0; ++column) {
        const std::uint32_t lane = column % fractal_rows;
        std::byte* cells =
            c + (std::size_t{column / fractal_rows} * rows * fractal_rows + lane) * sizeof(std::int32_t);
        for (std::uint32_t block = 0; block < blocks; ++block) {
            const std::size_t fractal = std::size_t{block} * columns + column / fractal_rows;
            const std::int8_t* weights = b + fractal * fractal_bytes + lane * fractal_row_bytes;
            const auto chosen = places(index + fractal * index_bytes + lane * index_row_bytes);
            const std::uint32_t first = block * 2 * fractal_row_bytes;
            for (std::uint32_t row = 0; row < rows; ++row) {
                std::byte* cell = cells + std::size_t{row} * fractal_rows * sizeof(std::int32_t);
                const std::int8_t* fractals =
                    a +
                    (std::size_t{row / fractal_rows} * depth + first / fractal_row_bytes) * fractal_bytes +
                    row % fractal_rows * fractal_row_bytes;
                const std::int32_t before =
                    block == 0 ? start_value(core, product, column, cell) : value_at(cell);
                const std::uint32_t sum = static_cast<std::uint32_t>(before) +
                                          chosen_sum(fractals, weights, chosen, product.k - first);
                std::memcpy(cell, &sum, sizeof(sum));
            }
        }
    }
}

}  // namespace ascendsim::isa
