// SPDX-License-Identifier: Apache-2.0
// LoadData 3D: the feature map of a convolution in L1, [C1][H][W][C0], read as the matrix its filter slides
// over.
//
//   row  = output position (oh, ow); column = (c1, kh, kw, c0); a value outside of the map is the padding
//   value.
//
// Rates fall with the filter's stride, latency is larger than load2d's: hardware.md 6.2.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/port/core_port.hpp"
#include "models/port/data_type.hpp"

namespace ascendsim::isa {

/// Loads rows [m_start, m_start + m_extent) and columns [k_start, k_start + k_extent) of that matrix: to L0A
/// as Zz, or to L0B as Zn. Transposed (to L0A only), the matrix' columns become the rows of A.
struct Load3d {
    static constexpr OpInfo info{"load3d",
                                 "Unfolds a feature map in L1 into a matrix in L0A or L0B (im2col)."};

    Local destination{};       // L0A or L0B
    std::uint32_t source = 0;  // B in L1
    DataType type = DataType::half;
    std::array<std::uint32_t, 4> pad{};  // left, right, top, bottom
    std::uint32_t height = 0;
    std::uint32_t width = 0;
    std::uint32_t channels = 0;
    std::uint32_t k_extent = 0;
    std::uint32_t m_extent = 0;
    std::uint32_t k_start = 0;
    std::uint32_t m_start = 0;
    std::uint32_t stride_w = 1;
    std::uint32_t stride_h = 1;
    std::uint32_t filter_w = 1;
    std::uint32_t filter_h = 1;
    std::uint32_t dilation_w = 1;
    std::uint32_t dilation_h = 1;
    bool transpose = false;
    std::uint32_t padding = 0;  // the padding value's bits

    [[nodiscard]] bool legal() const;
    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;

private:
    [[nodiscard]] std::uint32_t out_width() const;
    [[nodiscard]] std::uint32_t out_height() const;

    [[nodiscard]] std::uint32_t span(std::uint32_t filter, std::uint32_t dilation) const {
        return (filter - 1) * dilation + 1;
    }

    [[nodiscard]] const std::byte* at(const std::byte* map, std::uint32_t row, std::uint32_t column) const;
};

inline Instructions load3d_instructions() {
    return {&Load3d::info};
}

}  // namespace ascendsim::isa
