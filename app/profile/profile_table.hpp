// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/validation/csv_reader.hpp"

namespace ascendsim::profile {

/// A CSV file of the vendor's profiler: columns by their names, whatever their case and the blanks and
/// underscores in them.
class ProfileTable {
public:
    /// `text` must outlive the table. Throws UserError if there is no line of names.
    ProfileTable(std::string_view text, std::string name);

    /// Goes to the next row. Throws UserError for a quote that is not closed; a row with more cells than
    /// there are names too.
    [[nodiscard]] bool next();

    [[nodiscard]] bool has(std::initializer_list<std::string_view> names) const;
    /// The cell below the first of these names that is there, without blanks and quotes around it; empty for
    /// "N/A" and for none.
    [[nodiscard]] std::string text(std::initializer_list<std::string_view> names) const;
    /// The same as a finite number; nothing if it is none.
    [[nodiscard]] std::optional<double> number(std::initializer_list<std::string_view> names) const;

    /// "file:line" of the row.
    [[nodiscard]] std::string place() const;

private:
    [[nodiscard]] std::optional<std::size_t> column(std::initializer_list<std::string_view> names) const;

    std::string name_;
    validation::CsvReader reader_;
    std::map<std::string, std::size_t, std::less<>> columns_;
    validation::CsvRecord row_;
};

/// A finite number as the vendor's files write it, with blanks around it; nothing if it is none.
[[nodiscard]] std::optional<double> number_of(std::string_view text);

}  // namespace ascendsim::profile
