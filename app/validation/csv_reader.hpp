// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::validation {

/// A line of a CSV text, or several where a quoted cell has line ends.
struct CsvRecord {
    std::size_t line = 0;
    std::vector<std::string> cells;
};

/// Takes a CSV text apart (RFC 4180): quoted cells may hold commas, line ends and doubled quotes.
class CsvReader {
public:
    /// `text` must outlive the reader; `name` stands in messages.
    CsvReader(std::string_view text, std::string name);

    /// The next record that is not empty; no cells at the end. Throws UserError for a quote that is not
    /// closed.
    [[nodiscard]] CsvRecord next();

private:
    bool take(char wanted);
    std::string cell();
    std::string quoted();

    std::string_view text_;
    std::string name_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
};

}  // namespace ascendsim::validation
