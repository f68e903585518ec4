// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "app/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::report {

/// A table of an HTML page; the first column is left-aligned, the others right.
struct HtmlTable {
    std::string heading;
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;
};

/// Begins and ends a page that needs nothing from elsewhere: styles inline, no scripts.
[[nodiscard]] std::string html_head(const std::string& title);
[[nodiscard]] std::string html_foot();
[[nodiscard]] std::string html(const HtmlTable& table);

/// Writes a run as one HTML page: figures, timeline, pipes, bubbles, traffic, source lines, hazards.
void write_html(std::ostream& out, const analysis::RunSummary& summary, const record::Recording& recording);

}  // namespace ascendsim::report
