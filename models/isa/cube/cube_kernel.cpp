// SPDX-License-Identifier: Apache-2.0
#include "models/isa/cube/cube_kernel.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "models/numbers/bfloat16.hpp"
#include "models/numbers/half.hpp"

namespace ascendsim::isa {
namespace {

// Vectors of the compiler's own: the same source serves every instruction set.
using Quad = float __attribute__((vector_size(16)));

constexpr std::uint32_t fractal_lanes = fractal_rows;

// ---- unpacking
// ---------------------------------------------------------------------------------------------------

[[gnu::always_inline]] inline float hf32_of(float value) {
    constexpr std::uint32_t dropped = 12;  // of 23 bits of mantissa, 11 stay
    constexpr std::uint32_t infinity = 0x7F800000;
    const auto raw = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded =
        (raw + ((1U << (dropped - 1)) - 1) + ((raw >> dropped) & 1U)) & ~((1U << dropped) - 1);
    return std::bit_cast<float>((raw & infinity) == infinity ? raw : rounded);
}

template <class Convert, class Raw>
[[gnu::always_inline]] inline void widen(
    const std::byte* fractal, std::uint32_t count, float* out, Convert convert, Raw) {
    for (std::uint32_t i = 0; i < count; ++i) {
        Raw raw;
        std::memcpy(&raw, fractal + i * sizeof(Raw), sizeof(Raw));
        out[i] = convert(raw);
    }
}

[[gnu::always_inline]] inline void widen_half(const std::byte* fractal, float* out) {
    widen(
        fractal,
        256,
        out,
        [](std::uint16_t raw) { return numbers::HalfFormat::to_float(raw); },
        std::uint16_t{});
}

[[gnu::always_inline]] inline void widen_bfloat16(const std::byte* fractal, float* out) {
    widen(
        fractal,
        256,
        out,
        [](std::uint16_t raw) { return numbers::Bfloat16Format::to_float(raw); },
        std::uint16_t{});
}

[[gnu::always_inline]] inline void widen_int4(const std::byte* fractal, float* out) {
    for (std::uint32_t i = 0; i < fractal_bytes; ++i) {
        const auto pair = std::to_integer<int>(fractal[i]);
        out[2 * i] = static_cast<float>(((pair & 0xF) ^ 8) - 8);
        out[2 * i + 1] = static_cast<float>(((pair >> 4) ^ 8) - 8);
    }
}

[[gnu::always_inline]] inline void widen_fractal(const PanelSource& source,
                                                 const std::byte* fractal,
                                                 float* out) {
    switch (source.type) {
        case DataType::half:
            widen_half(fractal, out);
            return;
        case DataType::bfloat16:
            widen_bfloat16(fractal, out);
            return;
        case DataType::int4:
            widen_int4(fractal, out);
            return;
        case DataType::int8:
            widen(
                fractal, 512, out, [](std::int8_t raw) { return static_cast<float>(raw); }, std::int8_t{});
            return;
        case DataType::uint8:
            widen(
                fractal, 512, out, [](std::uint8_t raw) { return static_cast<float>(raw); }, std::uint8_t{});
            return;
        default:
            break;
    }
    std::memcpy(out, fractal, fractal_bytes);
    if (source.hf32) {
        for (std::uint32_t i = 0; i < 128; ++i) {
            out[i] = hf32_of(out[i]);
        }
    }
}

// Transposes 4 x 4 from rows `row_pitch` apart to columns of a panel.
[[gnu::always_inline]] inline void transpose_4x4(const float* from, std::uint32_t row_pitch, float* to) {
    std::array<Quad, 4> row;
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::memcpy(&row[i], from + i * row_pitch, sizeof(Quad));
    }
    const Quad low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 1, 5);
    const Quad high01 = __builtin_shufflevector(row[0], row[1], 2, 6, 3, 7);
    const Quad low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 1, 5);
    const Quad high23 = __builtin_shufflevector(row[2], row[3], 2, 6, 3, 7);
    const std::array<Quad, 4> column{__builtin_shufflevector(low01, low23, 0, 1, 4, 5),
                                     __builtin_shufflevector(low01, low23, 2, 3, 6, 7),
                                     __builtin_shufflevector(high01, high23, 0, 1, 4, 5),
                                     __builtin_shufflevector(high01, high23, 2, 3, 6, 7)};
    for (std::uint32_t i = 0; i < 4; ++i) {
        std::memcpy(to + i * fractal_lanes, &column[i], sizeof(Quad));
    }
}

[[gnu::always_inline]] inline void transpose_fractal(const float* rows, std::uint32_t depth, float* panel) {
    for (std::uint32_t k = 0; k < depth; k += 4) {
        for (std::uint32_t lane = 0; lane < fractal_lanes; lane += 4) {
            transpose_4x4(rows + lane * depth + k, depth, panel + k * fractal_lanes + lane);
        }
    }
}

[[gnu::always_inline]] inline void unpack_all(const PanelSource& source, float* panels) {
    const std::uint32_t k0 = fractal_depth(source.type);
    alignas(64) std::array<float, std::size_t{fractal_rows} * 64> rows;
    alignas(64) std::array<float, std::size_t{fractal_rows} * 64> columns;
    for (std::uint32_t p = 0; p < source.panels; ++p) {
        float* panel = panels + std::size_t{p} * source.depth * fractal_lanes;
        for (std::uint32_t k = 0; k < source.depth; k += k0) {
            const std::size_t index =
                std::size_t{p} * source.panel_fractals + std::size_t{k / k0} * source.depth_fractals;
            widen_fractal(source, source.data + index * fractal_bytes, rows.data());
            if (k + k0 <= source.depth) {
                transpose_fractal(rows.data(), k0, panel + std::size_t{k} * fractal_lanes);
            } else {
                transpose_fractal(rows.data(), k0, columns.data());
                std::memcpy(panel + std::size_t{k} * fractal_lanes,
                            columns.data(),
                            (source.depth - k) * fractal_lanes * sizeof(float));
            }
        }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void unpack_avx512(const PanelSource& source, float* panels) {
    unpack_all(source, panels);
}

[[gnu::target("avx2")]] void unpack_avx2(const PanelSource& source, float* panels) {
    unpack_all(source, panels);
}
#endif
void unpack_portable(const PanelSource& source, float* panels) {
    unpack_all(source, panels);
}

// ---- products
// ----------------------------------------------------------------------------------------------------

// `rows` rows of one result fractal. `Rows` accumulators of 16 lanes stay in registers.
template <std::uint32_t Rows, std::uint32_t Width>
[[gnu::always_inline]] inline void row_block(const float* a, const float* b, float* c, std::uint32_t depth) {
    using Vector [[gnu::vector_size(Width * sizeof(float))]] = float;
    constexpr std::uint32_t parts = fractal_lanes / Width;
    Vector sum[Rows][parts];
#pragma GCC unroll 16
    for (std::uint32_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
        for (std::uint32_t p = 0; p < parts; ++p) {
            std::memcpy(&sum[r][p], c + r * fractal_lanes + p * Width, sizeof(Vector));
        }
    }
    for (std::uint32_t k = 0; k < depth; ++k) {
        Vector column[parts];
#pragma GCC unroll 4
        for (std::uint32_t p = 0; p < parts; ++p) {
            std::memcpy(&column[p], b + k * fractal_lanes + p * Width, sizeof(Vector));
        }
#pragma GCC unroll 16
        for (std::uint32_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
            for (std::uint32_t p = 0; p < parts; ++p) {
                sum[r][p] += column[p] * a[k * fractal_lanes + r];
            }
        }
    }
#pragma GCC unroll 16
    for (std::uint32_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 4
        for (std::uint32_t p = 0; p < parts; ++p) {
            std::memcpy(c + r * fractal_lanes + p * Width, &sum[r][p], sizeof(Vector));
        }
    }
}

template <std::uint32_t Rows, std::uint32_t Width>
[[gnu::always_inline]] inline void all_fractals(const PanelProduct& product) {
    const std::size_t panel = std::size_t{product.depth} * fractal_lanes;
    const std::uint32_t depth = product.last - product.first;
    for (std::uint32_t j = 0; j < product.n_panels; ++j) {
        const float* b = product.b + j * panel + std::size_t{product.first} * fractal_lanes;
        for (std::uint32_t i = 0; i < product.m_panels; ++i) {
            const float* a = product.a + i * panel + std::size_t{product.first} * fractal_lanes;
            float* c = product.c + (std::size_t{j} * product.m_panels + i) * fractal_cells;
            for (std::uint32_t row = 0; row < fractal_lanes; row += Rows) {
                row_block<Rows, Width>(a + row, b, c + row * fractal_lanes, depth);
            }
        }
    }
}

#if defined(__x86_64__)
[[gnu::target("avx512f")]] void products_avx512(const PanelProduct& product) {
    all_fractals<16, 16>(product);
}

[[gnu::target("avx2")]] void products_avx2(const PanelProduct& product) {
    all_fractals<4, 8>(product);
}
#endif
void products_portable(const PanelProduct& product) {
    all_fractals<2, 4>(product);
}

}  // namespace

float round_to_hf32(float value) {
    return hf32_of(value);
}

void unpack_panels(const PanelSource& source, float* panels) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        unpack_avx512(source, panels);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        unpack_avx2(source, panels);
        return;
    }
#endif
    unpack_portable(source, panels);
}

void accumulate_products(const PanelProduct& product) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        products_avx512(product);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        products_avx2(product);
        return;
    }
#endif
    products_portable(product);
}

}  // namespace ascendsim::isa
