// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/csv.hpp"

#include "sim/base/csv_cell.hpp"

namespace ascendsim::gui {

void Csv::row(const std::vector<std::string>& cells) {
    for (std::size_t n = 0; n < cells.size(); ++n) {
        if (n > 0) {
            text_ += ',';
        }
        text_ += csv_cell(cells[n]);
    }
    text_ += "\r\n";
}

}  // namespace ascendsim::gui
