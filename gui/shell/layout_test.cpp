// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/layout.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace ascendsim::gui {
namespace {

constexpr DocksInUse all_docks{true, true, true, true, true};

std::vector<Rect> areas(const LayoutRects& rects) {
    std::vector<Rect> list{rects.toolbar,
                           rects.status,
                           rects.left_splitter,
                           rects.right_splitter,
                           rects.bottom_splitter,
                           rects.lower_splitter};
    list.insert(list.end(), rects.docks.begin(), rects.docks.end());
    std::erase_if(list, [](const Rect& rect) { return rect.empty(); });
    return list;
}

float area(const Rect& rect) {
    return rect.width() * rect.height();
}

TEST(Layout, PartsTileTheScreenWhateverItsSize) {
    std::mt19937 random{4};
    std::uniform_int_distribution<int> side{300, 4000};
    std::uniform_real_distribution<float> wish{0, 3000};
    constexpr float splitters = 10;  // two of at most 4 pixels, and the rounding of two sides
    for (int n = 0; n < 2000; ++n) {
        const Rect screen{0, 0, static_cast<float>(side(random)), static_cast<float>(side(random))};
        LayoutState state{.left = wish(random),
                          .right = wish(random),
                          .bottom = wish(random),
                          .lower_share = wish(random) / 3000};
        state.show_left = n % 2 == 0;
        state.show_bottom = n % 3 != 0;
        if (n % 5 == 0) {
            state.lower_share.reset();
        }
        const LayoutRects rects =
            arrange(screen, state, all_docks, 0.5F + static_cast<float>(n % 7) / 2, wish(random));
        const std::vector<Rect> list = areas(rects);
        double covered = 0;
        for (std::size_t i = 0; i < list.size(); ++i) {
            ASSERT_EQ(list[i], whole_pixels(list[i])) << "seed 4, case " << n;
            covered += area(list[i]);
            for (std::size_t k = i + 1; k < list.size(); ++k) {
                ASSERT_TRUE(intersect(list[i], list[k]).empty()) << "seed 4, case " << n;
            }
        }
        ASSERT_DOUBLE_EQ(covered, area(screen)) << "seed 4, case " << n;
        ASSERT_GE(rects.dock(Dock::centre).width(), screen.width() / 3 - splitters) << "seed 4, case " << n;
    }
}

TEST(Layout, DockWithNothingToShowTakesNoRoom) {
    const LayoutRects rects = arrange({0, 0, 1280, 720}, {}, {false, true, false, false, false}, 1);
    EXPECT_EQ(rects.dock(Dock::centre), (Rect{0, 34, 1280, 698}));
    EXPECT_TRUE(rects.left_splitter.empty());
}

TEST(Layout, LowerDockGrowsWithItsViewsUntilTheUserChooses) {
    const Rect screen{0, 0, 1280, 720};
    const auto lower = [&](const LayoutState& state, float wish) {
        return arrange(screen, state, all_docks, 1, wish).dock(Dock::lower).height();
    };
    // 720 without the toolbar (34), the status line (22), the bottom dock (230) and its splitter: 433 for the
    // column.
    EXPECT_EQ(lower({}, 0), 108) << "a quarter";
    EXPECT_EQ(lower({}, 177), 177);
    EXPECT_EQ(lower({}, 400), 217) << "half of it";
    EXPECT_EQ(lower({.lower_share = 0.1F}, 177), 43);
}

TEST(Layout, WindowOfOnePixelIsSurvived) {
    const LayoutRects rects = arrange({0, 0, 1, 1}, {}, all_docks, 4);
    EXPECT_LE(rects.toolbar.height(), 1);
}

TEST(Layout, PresetsDiffer) {
    EXPECT_NE(preset_layout(Preset::developer), preset_layout(Preset::teacher));
    EXPECT_NE(preset_layout(Preset::developer), preset_layout(Preset::ci));
}

}  // namespace
}  // namespace ascendsim::gui
