// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::gui {

/// A table as comma-separated text (RFC 4180): a line of column names with their units, then rows.
class Csv {
public:
    explicit Csv(const std::vector<std::string>& columns) { row(columns); }

    void row(const std::vector<std::string>& cells);

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

}  // namespace ascendsim::gui
