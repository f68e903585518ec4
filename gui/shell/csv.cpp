// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/csv.hpp"

namespace ascendsim::gui {
namespace {

std::string quoted_cell(std::string_view cell) {
    if (cell.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string{cell};
    }
    std::string text{"\""};
    for (const char c : cell) {
        text += c;
        if (c == '"') {
            text += c;
        }
    }
    return text + '"';
}

}  // namespace

void Csv::row(const std::vector<std::string>& cells) {
    for (std::size_t n = 0; n < cells.size(); ++n) {
        if (n > 0) {
            text_ += ',';
        }
        text_ += quoted_cell(cells[n]);
    }
    text_ += "\r\n";
}

}  // namespace ascendsim::gui
