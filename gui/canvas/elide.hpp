// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "gui/canvas/fonts.hpp"

namespace ascendsim::gui {

/// A text without its middle where it is wider than `width` pixels: names often differ at their ends. Empty
/// if not even two characters fit.
[[nodiscard]] std::string without_middle(const FontSet& fonts,
                                         std::string_view text,
                                         TextStyle style,
                                         float width);

/// The same beside another name: if both would be cut to the same, only what comes where they first differ
/// is shown behind the ellipsis.
[[nodiscard]] std::string told_apart(
    const FontSet& fonts, std::string_view text, std::string_view other, TextStyle style, float width);

}  // namespace ascendsim::gui
