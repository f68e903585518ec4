// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gui/canvas/fonts.hpp"

namespace ascendsim::gui {

/// A text without its middle where it is wider than `width` pixels: names often differ at their ends. Numbers
/// are there whole or not at all. Empty if not even two characters fit.
[[nodiscard]] std::string without_middle(const FontSet& fonts,
                                         std::string_view text,
                                         TextStyle style,
                                         float width);

/// A text that is too wide, cut elsewhere: what is kept are the places where it first differs from each of
/// `others`, the words around these, and of its ends as much as fits.
[[nodiscard]] std::string with_differences(const FontSet& fonts,
                                           std::string_view text,
                                           std::span<const std::string_view> others,
                                           TextStyle style,
                                           float width);

/// A text without its middle beside another one; if both would be cut to the same, with what differs.
[[nodiscard]] std::string told_apart(
    const FontSet& fonts, std::string_view text, std::string_view other, TextStyle style, float width);

/// The names of a list, in order: those that would be cut to the same with what differs between them. Equal
/// names stay equal, and where even what differs has no room, others may be.
[[nodiscard]] std::vector<std::string> all_told_apart(const FontSet& fonts,
                                                      std::span<const std::string_view> names,
                                                      TextStyle style,
                                                      float width);

}  // namespace ascendsim::gui
