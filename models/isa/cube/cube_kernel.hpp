// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the cube on the host: operands as fp32 panels of 16 lanes, results as 16 x 16 fractals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "models/port/data_type.hpp"

namespace ascendsim::isa {

/// Rows and columns of a result fractal, and rows of an operand fractal.
inline constexpr std::uint32_t fractal_rows = 16;
/// Bytes of an operand fractal: 16 rows of 32 bytes.
inline constexpr std::uint32_t fractal_bytes = 512;
/// Bytes of a row of an operand fractal.
inline constexpr std::uint32_t fractal_row_bytes = 32;
/// Elements of a result fractal.
inline constexpr std::uint32_t fractal_cells = 256;

/// Depth of an operand fractal: 32 bytes of `type`.
[[nodiscard]] constexpr std::uint32_t fractal_depth(DataType type) {
    return fractal_row_bytes * 8 / bits(type);
}

/// Unpacks operand fractals into panels: panel p holds lane-by-lane columns, panel[k * 16 + lane].
struct PanelSource {
    const std::byte* data = nullptr;
    DataType type = DataType::half;
    bool hf32 = false;                 // round fp32 to 11 bits of mantissa first
    std::uint32_t panels = 0;          // groups of 16 rows of A or columns of B
    std::uint32_t depth = 0;           // elements of k wanted
    std::uint32_t panel_fractals = 0;  // fractals from one panel to the next, at equal k
    std::uint32_t depth_fractals = 0;  // fractals from one k block to the next, in one panel
};

/// Writes panels * depth * 16 floats.
void unpack_panels(const PanelSource& source, float* panels);

/// Where the products are accumulated: 16 x 16 row-major fractals, column of fractals after column.
struct PanelProduct {
    const float* a = nullptr;  // m_panels panels of depth * 16
    const float* b = nullptr;  // n_panels panels of depth * 16
    float* c = nullptr;        // fractal (i, j) at ((j * m_panels) + i) * 256
    std::uint32_t m_panels = 0;
    std::uint32_t n_panels = 0;
    std::uint32_t depth = 0;  // of the panels
    std::uint32_t first = 0;  // products of k in [first, last) are added
    std::uint32_t last = 0;
};

/// Adds A x B to C in fp32, each element in the order of k, a rounded product and a rounded sum each time:
/// the same bits on every host.
void accumulate_products(const PanelProduct& product);

/// Rounds to the chip's HF32: 11 bits of mantissa, to nearest even.
[[nodiscard]] float round_to_hf32(float value);

}  // namespace ascendsim::isa
