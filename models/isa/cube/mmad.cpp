// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/mmad.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "models/isa/cube/cube_kernel.hpp"
#include "models/numbers/half.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::isa {
namespace {

// Operands of the Mmad under way; a thread runs one at a time.
struct Panels {
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> sums;
};

Panels& panels() {
    thread_local Panels scratch;
    return scratch;
}

// Integer products are exact in fp32 up to this depth: 255 * 255 * 256 < 2^24.
constexpr std::uint32_t exact_depth = 256;

void reserve(std::vector<float>& values, std::size_t count) {
    if (values.size() < count) {
        values.resize(count);
    }
}

}  // namespace

std::string Mmad::fault() const {
    if ((m | n | k) > 4095) {
        return fmt::format("m {}, n {}, k {}: each must be at most 4095", m, n, k);
    }
    if (unit_flag > 3) {
        return fmt::format("unit flag {}: allowed are 0, 2 and 3", unit_flag);
    }
    if (c % 1024 != 0) {
        return fmt::format("the result is at byte {} of l0c; it must start at a multiple of 1024", c);
    }
    if (start == Start::bias_table && bias % 64 != 0) {
        return fmt::format("the bias is at byte {} of bias_table; it must start at a multiple of 64", bias);
    }
    return fmt::format(
        "operands at byte {} of l0a and {} of l0b; both must start at a multiple of 512", a, b);
}

std::uint32_t Mmad::depth_fractals() const {
    const std::uint32_t k0 = fractal_depth(a_type);
    return k_align16 && bits(a_type) == 32 ? ceil_div(k, 16U) * 2 : ceil_div(k, k0);
}

void Mmad::accesses(Accesses& list) const {
    if (empty()) {
        return;
    }
    const std::uint64_t rows = ceil_div(m, fractal_rows);
    const std::uint64_t columns = ceil_div(n, fractal_rows);
    const std::uint64_t depth = depth_fractals();
    const std::uint64_t result = rows * columns * bytes_of(c_type, fractal_cells);
    list.read({Memory::l0a, a}, m == 1 ? bytes_of(a_type, k) : rows * depth * fractal_bytes);
    list.read({Memory::l0b, b}, columns * depth * fractal_bytes);
    if (start == Start::l0c) {
        list.read({Memory::l0c, c}, result);
    } else if (start == Start::bias_table) {
        list.read({Memory::bias_table, bias}, bytes_of(DataType::float32, n));
    }
    list.write({Memory::l0c, c}, result);
}

void Mmad::time(const ChipSpec& chip, TimedOp& op) const {
    const CubeSpec& cube = chip.cube;
    const std::uint32_t k0 = cube.k0_bytes * 8 / bits(a_type);
    const bool slow = a_type == DataType::float32 && !hf32;
    const std::uint32_t steps = ceil_div(m, cube.m0) * ceil_div(n, cube.n0) * ceil_div(k, k0);
    op.pipe = Pipe::cube;
    op.occupies = cube.gap_cycles + steps * (slow ? cube.fp32_slowdown : 1);
    op.latency = cube.head_cycles;
    op.a = unit_flag;
    op.memory = Memory::l0c;
    op.offset = c;
    if (empty()) {  // documented to cost many cycles, not one
        op.occupies += cube.head_cycles;
        return;
    }
    op.bytes = ceil_div(m, fractal_rows) * ceil_div(n, fractal_rows) *
               static_cast<std::uint32_t>(bytes_of(c_type, fractal_cells));
    const std::uint64_t products = std::uint64_t{m} * n * k;
    op.work = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(products, std::numeric_limits<std::uint32_t>::max()));
}

void Mmad::load_panels(CorePort& core) const {
    const std::uint32_t rows = ceil_div(m, fractal_rows);
    const std::uint32_t columns = ceil_div(n, fractal_rows);
    const std::uint32_t depth = depth_fractals();
    Panels& scratch = panels();
    reserve(scratch.a, std::size_t{rows} * k * fractal_rows);
    reserve(scratch.b, std::size_t{columns} * k * fractal_rows);
    PanelSource left{.data = core.at({Memory::l0a, a}),
                     .type = a_type,
                     .hf32 = hf32,
                     .panels = rows,
                     .depth = k,
                     .panel_fractals = depth,
                     .depth_fractals = 1};
    std::vector<std::byte> vector;
    if (m == 1) {  // GEMV: A lies as one plain row; spread it to the first rows of fractals
        const std::uint32_t blocks = ceil_div(k, fractal_depth(a_type));
        const std::uint64_t bytes = bytes_of(a_type, k);
        vector.resize(std::size_t{blocks} * fractal_bytes);
        for (std::uint32_t i = 0; i < blocks; ++i) {
            const std::uint64_t done = std::uint64_t{i} * fractal_row_bytes;
            std::memcpy(vector.data() + std::size_t{i} * fractal_bytes,
                        left.data + done,
                        std::min<std::uint64_t>(fractal_row_bytes, bytes - done));
        }
        left.data = vector.data();
        left.panel_fractals = blocks;
    }
    unpack_panels(left, scratch.a.data());
    unpack_panels({.data = core.at({Memory::l0b, b}),
                   .type = b_type,
                   .hf32 = hf32,
                   .panels = columns,
                   .depth = k,
                   .panel_fractals = 1,
                   .depth_fractals = columns},
                  scratch.b.data());
}

// Bias and half results; fp32 results start in place.
void Mmad::start_values(CorePort& core, float* sums) const {
    const std::size_t rows = ceil_div(m, fractal_rows);
    const std::size_t columns = ceil_div(n, fractal_rows);
    const std::size_t cells = rows * columns * fractal_cells;
    if (start == Start::zero) {
        std::memset(sums, 0, cells * sizeof(float));
        return;
    }
    if (start == Start::l0c) {
        const std::byte* result = core.at({Memory::l0c, c});
        for (std::size_t i = 0; i < cells && c_type == DataType::half; ++i) {
            std::uint16_t raw = 0;
            std::memcpy(&raw, result + i * sizeof(raw), sizeof(raw));
            sums[i] = numbers::HalfFormat::to_float(raw);
        }
        return;
    }
    const std::byte* values = core.at({Memory::bias_table, bias});
    for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t first = column * fractal_rows;
        const std::size_t count = std::min<std::size_t>(fractal_rows, n - first);
        for (std::size_t row = 0; row < rows * fractal_rows; ++row) {
            float* line = sums + (column * rows * fractal_rows + row) * fractal_rows;
            std::memset(line, 0, fractal_rows * sizeof(float));
            std::memcpy(line, values + first * sizeof(float), count * sizeof(float));
        }
    }
}

void Mmad::execute(CorePort& core) const {
    if (empty()) {
        return;
    }
    load_panels(core);
    if (c_type == DataType::int32 || c_type == DataType::uint32) {
        execute_integer(core);
        return;
    }
    Panels& scratch = panels();
    const std::uint32_t rows = ceil_div(m, fractal_rows);
    const std::uint32_t columns = ceil_div(n, fractal_rows);
    const std::size_t cells = std::size_t{rows} * columns * fractal_cells;
    std::byte* result = core.at({Memory::l0c, c});
    float* sums = reinterpret_cast<float*>(result);
    if (c_type == DataType::half) {
        reserve(scratch.sums, cells);
        sums = scratch.sums.data();
    }
    start_values(core, sums);
    accumulate_products({.a = scratch.a.data(),
                         .b = scratch.b.data(),
                         .c = sums,
                         .m_panels = rows,
                         .n_panels = columns,
                         .depth = k,
                         .first = 0,
                         .last = k});
    for (std::size_t i = 0; i < cells && c_type == DataType::half; ++i) {
        const std::uint16_t raw = numbers::HalfFormat::from_float(sums[i]);
        std::memcpy(result + i * sizeof(raw), &raw, sizeof(raw));
    }
}

void Mmad::execute_integer(CorePort& core) const {
    Panels& scratch = panels();
    const std::uint32_t rows = ceil_div(m, fractal_rows);
    const std::uint32_t columns = ceil_div(n, fractal_rows);
    const std::size_t cells = std::size_t{rows} * columns * fractal_cells;
    auto* result = reinterpret_cast<std::uint32_t*>(core.at({Memory::l0c, c}));
    if (start != Start::l0c) {
        start_values(core, reinterpret_cast<float*>(result));  // bits only: zeros, or the int32 bias
    }
    reserve(scratch.sums, cells);
    for (std::uint32_t first = 0; first < k; first += exact_depth) {
        std::fill_n(scratch.sums.begin(), cells, 0.0F);
        accumulate_products({.a = scratch.a.data(),
                             .b = scratch.b.data(),
                             .c = scratch.sums.data(),
                             .m_panels = rows,
                             .n_panels = columns,
                             .depth = k,
                             .first = first,
                             .last = std::min(k, first + exact_depth)});
        for (std::size_t i = 0; i < cells; ++i) {  // wraps as two's complement does
            result[i] += static_cast<std::uint32_t>(static_cast<std::int32_t>(scratch.sums[i]));
        }
    }
}

}  // namespace ascendsim::isa
