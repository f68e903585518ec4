// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include <imgui.h>

#include "gui/render/image.hpp"

namespace ascendsim::gui {

/// The one texture of the dashboard: coverage of glyphs and hatches, one byte per texel, rows from the top.
struct CoverageTexture {
    int width = 0;
    int height = 0;
    std::span<const std::uint8_t> texels;
};

/// Counts what one picture took, for budgets that do not depend on the machine.
struct RasterCounts {
    std::size_t rectangles = 0;  ///< pairs of triangles drawn as one axis-aligned rectangle
    std::size_t triangles = 0;   ///< triangles drawn one by one
};

/// Draws the draw lists of Dear ImGui on the processor.
///
/// Positions are snapped to 1/256 pixel, coverage is decided by pixel centres with the top-left rule,
/// blending is integer: the same draw lists give the same bytes with every compiler, so pictures are compared
/// without tolerance.
class Rasteriser {
public:
    explicit Rasteriser(CoverageTexture texture) : texture_{texture} {}

    /// Draws over `target`, whose pixels are taken as opaque.
    RasterCounts draw(const ImDrawData& data, Image& target) const;

private:
    CoverageTexture texture_;
};

}  // namespace ascendsim::gui
