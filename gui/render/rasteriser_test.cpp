// SPDX-License-Identifier: Apache-2.0
#include "gui/render/rasteriser.hpp"

#include <array>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

constexpr Pixel black = rgba(0, 0, 0);
constexpr Pixel white = rgba(255, 255, 255);
constexpr Pixel red = rgba(255, 0, 0);

/// A 4 x 4 texture: texel (x, y) covers 16 * (4y + x), except that the last is fully covered (255).
constexpr std::array<std::uint8_t, 16> ramp{
    0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 255};
constexpr CoverageTexture texture{.width = 4, .height = 4, .texels = ramp};
/// The centre of the fully covered texel.
const ImVec2 covered{3.5F / 4.0F, 3.5F / 4.0F};

struct Scene {
    ImDrawList list{nullptr};

    void add(const std::vector<ImDrawVert>& vertices, const std::vector<ImDrawIdx>& indices, ImVec4 clip) {
        ImDrawCmd command;
        command.ClipRect = clip;
        command.VtxOffset = static_cast<unsigned>(list.VtxBuffer.Size);
        command.IdxOffset = static_cast<unsigned>(list.IdxBuffer.Size);
        command.ElemCount = static_cast<unsigned>(indices.size());
        for (const ImDrawVert& vertex : vertices) {
            list.VtxBuffer.push_back(vertex);
        }
        for (const ImDrawIdx index : indices) {
            list.IdxBuffer.push_back(index);
        }
        list.CmdBuffer.push_back(command);
    }

    RasterCounts draw(Image& target) {
        ImDrawList* lists = &list;
        ImDrawData data;
        data.CmdLists = &lists;
        data.CmdListsCount = 1;
        return Rasteriser{texture}.draw(data, target);
    }
};

const ImVec4 everywhere{0, 0, 100, 100};

std::vector<ImDrawVert> box(float left, float top, float right, float bottom, Pixel colour) {
    return {{{left, top}, covered, colour},
            {{right, top}, covered, colour},
            {{right, bottom}, covered, colour},
            {{left, bottom}, covered, colour}};
}

TEST(Rasteriser, RectangleCoversThePixelsWhoseCentresItHolds) {
    Scene scene;
    scene.add(box(1, 1, 3, 2, red), {0, 1, 2, 0, 2, 3}, everywhere);
    Image image{4, 3, black};
    const RasterCounts counts = scene.draw(image);
    EXPECT_EQ(counts.rectangles, 1U);
    EXPECT_EQ(counts.triangles, 0U);
    const std::vector<Pixel> expected{
        black, black, black, black, black, red, red, black, black, black, black, black};
    EXPECT_EQ(image.pixels, expected);
}

TEST(Rasteriser, CentreOnTheLeftEdgeIsInsideAndOnTheRightEdgeOutside) {
    Scene scene;
    scene.add(box(0.5F, 0, 2.5F, 1, red), {0, 1, 2, 0, 2, 3}, everywhere);
    Image image{4, 1, black};
    scene.draw(image);
    EXPECT_EQ(image.pixels, (std::vector<Pixel>{red, red, black, black}));
}

TEST(Rasteriser, AbuttingRectanglesLeaveNoGapAndNoOverlap) {
    Scene scene;
    const Pixel half = rgba(255, 255, 255, 128);
    scene.add(box(0, 0, 1.3F, 1, half), {0, 1, 2, 0, 2, 3}, everywhere);
    scene.add(box(1.3F, 0, 4, 1, half), {0, 1, 2, 0, 2, 3}, everywhere);
    Image image{4, 1, black};
    scene.draw(image);
    // (255 * 128 + 0 * 127 + 127) / 255 = 128, once for every pixel.
    EXPECT_EQ(image.pixels, std::vector<Pixel>(4, rgba(128, 128, 128)));
}

TEST(Rasteriser, ClipRectangleCutsWholePixels) {
    Scene scene;
    scene.add(box(-5, -5, 50, 50, white), {0, 1, 2, 0, 2, 3}, {1, 1, 3, 2});
    Image image{4, 3, black};
    scene.draw(image);
    const std::vector<Pixel> expected{
        black, black, black, black, black, white, white, black, black, black, black, black};
    EXPECT_EQ(image.pixels, expected);
}

TEST(Rasteriser, TriangleCoversCentresBelowItsDiagonal) {
    Scene scene;
    scene.add(
        {{{0, 0}, covered, red}, {{3, 3}, covered, red}, {{0, 3}, covered, red}}, {0, 1, 2}, everywhere);
    Image image{3, 3, black};
    EXPECT_EQ(scene.draw(image).triangles, 1U);
    // The diagonal runs through the centres (0.5, 0.5), (1.5, 1.5), (2.5, 2.5). It is a right edge, thus
    // outside.
    const std::vector<Pixel> expected{black, black, black, red, black, black, red, red, black};
    EXPECT_EQ(image.pixels, expected);
}

TEST(Rasteriser, ColoursAreMixedByTheShareOfEachCorner) {
    Scene scene;
    scene.add({{{0, 0}, covered, black}, {{2, 0}, covered, white}, {{0, 2}, covered, black}},
              {0, 1, 2},
              everywhere);
    Image image{2, 2, red};
    scene.draw(image);
    // At (0.5, 0.5) the white corner has a share of 0.5 / 2 = 0.25: 0.25 * 255 = 63.75, rounded to 64.
    EXPECT_EQ(image.at(0, 0), rgba(64, 64, 64));
}

TEST(Rasteriser, TextureDrawnPixelForPixelGivesItsTexels) {
    Scene scene;
    scene.add(
        {{{1, 1}, {0, 0}, white}, {{5, 1}, {1, 0}, white}, {{5, 5}, {1, 1}, white}, {{1, 5}, {0, 1}, white}},
        {0, 1, 2, 0, 2, 3},
        everywhere);
    Image image{6, 6, black};
    scene.draw(image);
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 4; ++x) {
            const unsigned coverage = ramp[static_cast<std::size_t>(4 * y + x)];
            EXPECT_EQ(image.at(x + 1, y + 1), rgba(coverage, coverage, coverage)) << x << ", " << y;
        }
    }
}

TEST(Rasteriser, TextureBetweenTexelsIsTheirMean) {
    Scene scene;
    const ImVec2 between{1.0F / 4.0F,
                         0.5F / 4.0F};  // between texels 0 and 1 of the first row: (0 + 16) / 2 = 8
    scene.add({{{0, 0}, between, white},
               {{1, 0}, between, white},
               {{1, 1}, between, white},
               {{0, 1}, between, white}},
              {0, 1, 2, 0, 2, 3},
              everywhere);
    Image image{1, 1, black};
    scene.draw(image);
    EXPECT_EQ(image.at(0, 0), rgba(8, 8, 8));
}

TEST(Rasteriser, RectanglePathDrawsWhatTwoTrianglesDraw) {
    std::mt19937 random{20261121};
    std::uniform_int_distribution<int> place{-512, 40 * 256};
    for (int n = 0; n < 300; ++n) {
        const auto at = [&] { return static_cast<float>(place(random)) / 256.0F; };
        float left = at();
        float right = at();
        float top = at();
        float bottom = at();
        if (left > right) {
            std::swap(left, right);
        }
        if (top > bottom) {
            std::swap(top, bottom);
        }
        const std::vector<ImDrawVert> vertices = box(left, top, right, bottom, rgba(200, 100, 50, 90));
        Scene paired;
        paired.add(vertices, {0, 1, 2, 0, 2, 3}, everywhere);
        Scene separate;
        separate.add(vertices, {1, 2, 0, 2, 3, 0}, everywhere);
        Image a{32, 32, black};
        Image b{32, 32, black};
        EXPECT_EQ(paired.draw(a).rectangles, 1U);
        EXPECT_EQ(separate.draw(b).triangles, 2U);
        ASSERT_EQ(a, b) << "seed 20261121, case " << n;
    }
}

TEST(Rasteriser, FanOfTrianglesTouchesEveryPixelOnce) {
    std::mt19937 random{7};
    std::uniform_real_distribution<float> place{0.0F, 24.0F};
    for (int n = 0; n < 100; ++n) {
        const ImVec2 middle{place(random), place(random)};
        Scene scene;
        std::vector<ImDrawVert> vertices = box(0, 0, 24, 24, rgba(255, 255, 255, 128));
        vertices.push_back({middle, covered, rgba(255, 255, 255, 128)});
        scene.add(vertices, {0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4}, everywhere);
        Image image{24, 24, black};
        scene.draw(image);
        ASSERT_EQ(image.pixels, std::vector<Pixel>(24 * 24, rgba(128, 128, 128))) << "seed 7, case " << n;
    }
}

TEST(Rasteriser, PositionsFarOutsideAreHarmless) {
    Scene scene;
    scene.add(box(-1e30F, -1e30F, 1e30F, 1e30F, white), {1, 2, 0, 2, 3, 0}, everywhere);
    Image image{2, 2, black};
    scene.draw(image);
    EXPECT_EQ(image.pixels, std::vector<Pixel>(4, white));
}

}  // namespace
}  // namespace ascendsim::gui
