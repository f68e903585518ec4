// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/layout.hpp"

#include <algorithm>
#include <cmath>

namespace ascendsim::gui {
namespace {

constexpr float toolbar_height = 34;
constexpr float status_height = 22;
constexpr float splitter = 1;
constexpr float least_side = 120;

bool in_use(const DocksInUse& used, Dock dock) {
    return used.at(static_cast<std::size_t>(dock));
}

/// A side dock's size: as wished, at least least_side, at most a third of the room.
float side(float wished, float scale, float room) {
    return std::round(std::min(std::max(wished, least_side) * scale, room / 3));
}

/// As chosen; else a quarter of the centre column, or more, up to half of it, where the views have more to
/// show.
float lower_height(const LayoutState& state, float column, float wish) {
    constexpr float usual_share = 0.25F;
    const float chosen = column * std::clamp(state.lower_share.value_or(usual_share), 0.05F, 0.95F);
    return std::round(state.lower_share ? chosen : std::max(chosen, std::min(wish, column / 2)));
}

}  // namespace

LayoutState preset_layout(Preset preset) {
    LayoutState state;
    switch (preset) {
        case Preset::developer:
            break;
        case Preset::teacher:
            state.left = 240;
            state.right = 380;
            state.show_bottom = false;
            break;
        case Preset::ci:
            state.show_left = false;
            state.bottom = 330;
            break;
    }
    return state;
}

LayoutRects arrange(
    Rect screen, const LayoutState& state, const DocksInUse& used, float scale, float lower_wish) {
    LayoutRects rects;
    const float line = std::max(1.0F, std::round(splitter * scale));
    const float bar = std::min(std::round(toolbar_height * scale), screen.height() / 4);
    const float foot = std::min(std::round(status_height * scale), screen.height() / 4);
    rects.toolbar = whole_pixels({screen.left, screen.top, screen.right, screen.top + bar});
    rects.status = whole_pixels({screen.left, screen.bottom - foot, screen.right, screen.bottom});
    Rect rest{screen.left, rects.toolbar.bottom, screen.right, rects.status.top};
    const auto dock = [&](Dock place) -> Rect& { return rects.docks.at(static_cast<std::size_t>(place)); };
    const float room = rest.width();
    if (state.show_left && in_use(used, Dock::left)) {
        const float width = side(state.left, scale, room);
        dock(Dock::left) = {rest.left, rest.top, rest.left + width, rest.bottom};
        rects.left_splitter = {rest.left + width, rest.top, rest.left + width + line, rest.bottom};
        rest.left += width + line;
    }
    if (state.show_right && in_use(used, Dock::right)) {
        const float width = side(state.right, scale, room);
        dock(Dock::right) = {rest.right - width, rest.top, rest.right, rest.bottom};
        rects.right_splitter = {rest.right - width - line, rest.top, rest.right - width, rest.bottom};
        rest.right -= width + line;
    }
    if (state.show_bottom && in_use(used, Dock::bottom)) {
        const float height =
            std::round(std::min(std::max(state.bottom, least_side) * scale, rest.height() / 2));
        dock(Dock::bottom) = {rest.left, rest.bottom - height, rest.right, rest.bottom};
        rects.bottom_splitter = {rest.left, rest.bottom - height - line, rest.right, rest.bottom - height};
        rest.bottom -= height + line;
    }
    if (state.show_lower && in_use(used, Dock::lower)) {
        const float height = lower_height(state, rest.height(), lower_wish);
        dock(Dock::lower) = {rest.left, rest.bottom - height, rest.right, rest.bottom};
        rects.lower_splitter = {rest.left, rest.bottom - height - line, rest.right, rest.bottom - height};
        rest.bottom -= height + line;
    }
    dock(Dock::centre) = rest;
    return rects;
}

}  // namespace ascendsim::gui
