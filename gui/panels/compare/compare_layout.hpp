// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "gui/canvas/fonts.hpp"
#include "gui/panels/compare/compare_rows.hpp"

namespace ascendsim::gui {

/// How a table of the comparison lies in its width.
struct ComparisonLayout {
    float before = 0;  ///< pixels of the columns beside the names
    float after = 0;
    float change = 0;
    std::vector<std::string> names;  ///< of the rows, as much as fits; what differs looks different
};

/// Measures tables of a comparison when they or their widths have changed, and not in each frame: a table has
/// a row for every source line, and each name that is cut is measured several times.
class ComparisonLayouts {
public:
    /// Of a table of `version` of all tables, `width` pixels wide.
    [[nodiscard]] const ComparisonLayout& get(const ComparisonTable& table,
                                              int version,
                                              float width,
                                              const FontSet& fonts);

    /// How often a table was measured.
    [[nodiscard]] std::size_t made() const { return made_; }

private:
    struct Kept {
        std::string_view table;
        int version = 0;
        int fonts = 0;
        float width = 0;
        ComparisonLayout layout;
    };

    std::vector<Kept> kept_;  // one for each table
    std::size_t made_ = 0;
};

/// Pixels between two columns.
[[nodiscard]] float comparison_gap(const FontSet& fonts);

}  // namespace ascendsim::gui
