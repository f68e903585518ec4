// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/analysis/comparison/compare.hpp"
#include "sim/record/span.hpp"

namespace ascendsim::gui {

/// Whether a change is for the better.
enum class Verdict : std::uint8_t { neutral, better, worse };

/// A line of a comparison's table, ready to be drawn.
struct ComparisonRow {
    std::string name;
    std::string before;
    std::string after;
    std::string change;
    Verdict verdict = Verdict::neutral;
    bool noise = false;  ///< below the threshold
    std::string hint;
    std::optional<record::Reason> cause;  ///< a click shows it
    std::string find;                     ///< a click looks for it
    std::string command;                  ///< a click runs it: a view that tells more
};

struct ComparisonTable {
    std::string_view name;  ///< for scripts
    std::string_view title;
    std::string_view hint;
    std::vector<ComparisonRow> rows;
};

/// All tables of a comparison: figures, pipes, waits, traffic, source lines, parameters.
[[nodiscard]] std::vector<ComparisonTable> comparison_tables(const analysis::Comparison& comparison);

/// "+12.3 %", "0.0 %", or "new" and "gone" where one side is 0.
[[nodiscard]] std::string relative_text(const analysis::Change& change);

}  // namespace ascendsim::gui
