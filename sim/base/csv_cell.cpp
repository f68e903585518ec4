// SPDX-License-Identifier: Apache-2.0
#include "sim/base/csv_cell.hpp"

namespace ascendsim {

std::string csv_cell(std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
        return std::string{text};
    }
    std::string cell{"\""};
    for (const char c : text) {
        cell += c;
        if (c == '"') {
            cell += c;
        }
    }
    return cell + '"';
}

}  // namespace ascendsim
