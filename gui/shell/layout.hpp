// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gui/canvas/geometry.hpp"

namespace ascendsim::gui {

/// Where panels live. Panels of one dock share it as tabs.
enum class Dock : std::uint8_t { left, centre, lower, right, bottom };

inline constexpr std::size_t dock_count = 5;
inline constexpr std::array<std::string_view, dock_count> dock_names{
    "left", "centre", "lower", "right", "bottom"};

[[nodiscard]] constexpr std::string_view name(Dock dock) {
    return dock_names[static_cast<std::size_t>(dock)];
}

/// Sizes of the docks at text scale 1, pixels; changed by the splitters.
struct LayoutState {
    float left = 210;
    float right = 300;
    float bottom = 230;
    std::optional<float> lower_share;  ///< of the centre column's height; nothing: what its views wish for
    bool show_left = true;
    bool show_right = true;
    bool show_bottom = true;
    bool show_lower = true;

    friend bool operator==(const LayoutState&, const LayoutState&) = default;
};

/// Ready-made arrangements for the three readers.
enum class Preset : std::uint8_t { developer, teacher, ci };

[[nodiscard]] LayoutState preset_layout(Preset preset);

/// Which docks have something to show.
using DocksInUse = std::array<bool, dock_count>;

/// Where everything is, whole pixels. A hidden part is empty.
struct LayoutRects {
    Rect toolbar;
    Rect status;
    std::array<Rect, dock_count> docks;
    Rect left_splitter;
    Rect right_splitter;
    Rect bottom_splitter;
    Rect lower_splitter;

    [[nodiscard]] const Rect& dock(Dock dock) const { return docks.at(static_cast<std::size_t>(dock)); }
};

/// Shares the screen out; the centre keeps at least a third of each side, so any window size works.
/// `lower_wish` is the height at which the views of the lower dock show everything, pixels.
[[nodiscard]] LayoutRects arrange(
    Rect screen, const LayoutState& state, const DocksInUse& used, float scale, float lower_wish = 0);

}  // namespace ascendsim::gui
