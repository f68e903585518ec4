// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/compare/compare_layout.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "gui/canvas/elide.hpp"

namespace ascendsim::gui {
namespace {

/// Each column is as wide as its numbers; words in it get what names leave, which come first.
ComparisonLayout comparison_columns(const ComparisonTable& table, float width, const FontSet& fonts) {
    constexpr std::size_t looked_at = 200;  // rows
    const auto wide = [&, gap = comparison_gap(fonts)](std::string_view text, TextStyle style) {
        return std::ceil(fonts.measure(text, style).x) + gap;
    };
    const auto is_number = [](const std::string& text) {
        return text.find_first_not_of("0123456789,.+-%= \u2212\u00a0") == std::string::npos;
    };
    float names = wide(table.title, TextStyle::bold);
    ComparisonLayout widest{.before = wide("run B", TextStyle::small),
                            .after = wide("run A", TextStyle::small),
                            .change = wide("change", TextStyle::small),
                            .names = {}};
    ComparisonLayout numbers = widest;
    for (std::size_t n = 0; n < std::min(looked_at, table.rows.size()); ++n) {
        const ComparisonRow& row = table.rows[n];
        names = std::max(names, wide(row.name, TextStyle::regular));
        const auto look = [&](const std::string& text, float& number, float& any) {
            const float pixels = wide(text, TextStyle::regular);
            any = std::max(any, pixels);
            number = is_number(text) ? std::max(number, pixels) : number;
        };
        look(row.before, numbers.before, widest.before);
        look(row.after, numbers.after, widest.after);
        look(row.change, numbers.change, widest.change);
    }
    // What one column of words leaves is the other's.
    const float room = std::max(0.0F, width - widest.change - std::min(names, std::round(width * 0.6F)));
    const auto words = [room](float mine, float others) {
        return std::min(mine, std::max(room / 2, room - others));
    };
    return {.before = std::round(std::max(numbers.before, words(widest.before, widest.after))),
            .after = std::round(std::max(numbers.after, words(widest.after, widest.before))),
            .change = widest.change,
            .names = {}};
}

}  // namespace

float comparison_gap(const FontSet& fonts) {
    return std::round(6 * fonts.scale());
}

const ComparisonLayout& ComparisonLayouts::get(const ComparisonTable& table,
                                               int version,
                                               float width,
                                               const FontSet& fonts) {
    auto kept = std::ranges::find(kept_, table.name, &Kept::table);
    if (kept == kept_.end()) {
        kept = kept_.insert(kept, {.table = table.name, .layout = {}});
    } else if (kept->version == version && kept->fonts == fonts.version() && kept->width == width) {
        return kept->layout;
    }
    ++made_;
    ComparisonLayout layout = comparison_columns(table, width, fonts);
    const float room = width - layout.change - layout.after - layout.before - comparison_gap(fonts) - 2;
    std::vector<std::string_view> names;
    std::ranges::transform(table.rows, std::back_inserter(names), [](const ComparisonRow& row) {
        return std::string_view{row.name};
    });
    layout.names = all_told_apart(fonts, names, TextStyle::regular, room);
    *kept = {.table = table.name,
             .version = version,
             .fonts = fonts.version(),
             .width = width,
             .layout = std::move(layout)};
    return kept->layout;
}

}  // namespace ascendsim::gui
