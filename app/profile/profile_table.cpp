// SPDX-License-Identifier: Apache-2.0
#include "app/profile/profile_table.hpp"

#include <charconv>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"

namespace ascendsim::profile {
namespace {

/// Without blanks, tabs and quotes at its ends.
std::string_view bare(std::string_view text) {
    constexpr std::string_view around = " \t\r\n\"'";
    const std::size_t first = text.find_first_not_of(around);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(around) - first + 1);
}

/// "Task Start Time(us)" and "task_start_time(us)" are one name.
std::string key_of(std::string_view name) {
    std::string key;
    for (const char letter : lower(std::string{bare(name)})) {
        if (letter != ' ' && letter != '_') {
            key += letter;
        }
    }
    return key;
}

}  // namespace

std::optional<double> number_of(std::string_view text) {
    const std::string_view word = bare(text);
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, value);
    return error == std::errc{} && stop == end && std::isfinite(value) ? std::optional{value} : std::nullopt;
}

ProfileTable::ProfileTable(std::string_view text, std::string name)
    : name_{std::move(name)}, reader_{text, name_} {
    const validation::CsvRecord names = reader_.next();
    if (names.cells.empty()) {
        throw UserError{"{}: is empty", name_};
    }
    for (std::size_t i = 0; i < names.cells.size(); ++i) {
        columns_.emplace(key_of(names.cells[i]), i);
    }
}

bool ProfileTable::next() {
    row_ = reader_.next();
    if (row_.cells.size() > columns_.size() + 1) {  // a comma at a line's end makes one more
        throw UserError{"{}: {} cells below {} names", place(), row_.cells.size(), columns_.size()};
    }
    return !row_.cells.empty();
}

std::optional<std::size_t> ProfileTable::column(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        if (const auto found = columns_.find(key_of(name)); found != columns_.end()) {
            return found->second;
        }
    }
    return std::nullopt;
}

bool ProfileTable::has(std::initializer_list<std::string_view> names) const {
    return column(names).has_value();
}

std::string ProfileTable::text(std::initializer_list<std::string_view> names) const {
    const std::optional<std::size_t> at = column(names);
    if (!at || *at >= row_.cells.size()) {
        return {};
    }
    const std::string_view cell = bare(row_.cells[*at]);
    return cell == "N/A" ? std::string{} : std::string{cell};
}

std::optional<double> ProfileTable::number(std::initializer_list<std::string_view> names) const {
    return number_of(text(names));
}

std::string ProfileTable::place() const {
    return fmt::format("{}:{}", name_, row_.line);
}

}  // namespace ascendsim::profile
