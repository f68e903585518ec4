// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/elide.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace ascendsim::gui {

std::string without_middle(const FontSet& fonts, std::string_view text, TextStyle style, float width) {
    if (fonts.measure(text, style).x <= width) {
        return std::string{text};
    }
    std::vector<std::size_t> starts;  // of characters
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xc0U) != 0x80U) {
            starts.push_back(i);
        }
    }
    const auto cut = [&](std::size_t kept) {
        const std::string_view head = text.substr(0, starts[(kept + 1) / 2]);
        return fmt::format("{}\u2026{}", head, text.substr(starts[starts.size() - kept / 2]));
    };
    std::size_t fits = 1;
    std::size_t beyond = std::min<std::size_t>(starts.size(), 500);
    while (fits + 1 < beyond) {
        const std::size_t middle = (fits + beyond) / 2;
        (fonts.measure(cut(middle), style).x <= width ? fits : beyond) = middle;
    }
    return fits < 2 ? std::string{} : cut(fits);
}

std::string told_apart(
    const FontSet& fonts, std::string_view text, std::string_view other, TextStyle style, float width) {
    std::string shown = without_middle(fonts, text, style, width);
    if (text == other || shown != without_middle(fonts, other, style, width)) {
        return shown;
    }
    std::size_t same = 0;
    while (same < std::min(text.size(), other.size()) && text[same] == other[same]) {
        ++same;
    }
    while (same > 0 && same < text.size() && (static_cast<unsigned char>(text[same]) & 0xc0U) == 0x80U) {
        --same;
    }
    constexpr std::string_view ellipsis = "\u2026";
    const float room = width - fonts.measure(ellipsis, style).x;
    return fmt::format("{}{}", ellipsis, without_middle(fonts, text.substr(same), style, room));
}

}  // namespace ascendsim::gui
