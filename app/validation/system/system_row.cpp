// SPDX-License-Identifier: Apache-2.0
#include "app/validation/system/system_row.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/validation/csv_reader.hpp"
#include "sim/base/error.hpp"
#include "sim/base/lower_case.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::validation {
namespace {

constexpr std::array<std::pair<std::string_view, std::string SystemRow::*>, 12> system_columns{
    {{"id", &SystemRow::id},
     {"category", &SystemRow::category},
     {"chip", &SystemRow::chip},
     {"devices", &SystemRow::devices},
     {"software", &SystemRow::software},
     {"workload", &SystemRow::workload},
     {"shape", &SystemRow::shape},
     {"metric", &SystemRow::metric},
     {"unit", &SystemRow::unit},
     {"source", &SystemRow::source},
     {"reliability", &SystemRow::reliability},
     {"notes", &SystemRow::notes}}};

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

std::size_t system_column(const CsvRecord& head, std::string_view column, const std::string& name) {
    const auto at = std::ranges::find(head.cells, column);
    if (at == head.cells.end()) {
        throw UserError{
            "{}:{}: no column '{}' (there are: {})", name, head.line, column, fmt::join(head.cells, ", ")};
    }
    return static_cast<std::size_t>(at - head.cells.begin());
}

double system_value(const std::string& text, const std::string& place) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value)) {
        throw UserError{"{}: value '{}' is not a number", place, text};
    }
    return value;
}

}  // namespace

bool SystemRow::says(std::string_view words) const {
    const std::string wanted = lower(words);
    for (const std::string* text : {&workload, &metric, &shape, &chip, &devices}) {
        if (lower(*text).find(wanted) != std::string::npos) {
            return true;
        }
    }
    return false;
}

std::vector<SystemRow> parse_system_rows(const std::string& text, const std::string& name) {
    CsvReader reader{text, name};
    const CsvRecord head = reader.next();
    if (head.cells.empty()) {
        throw UserError{"{}: holds no header", name};
    }
    std::vector<std::size_t> columns;
    for (const auto& [column, field] : system_columns) {
        columns.push_back(system_column(head, column, name));
    }
    const std::size_t value = system_column(head, "value", name);
    std::vector<SystemRow> rows;
    std::set<std::string> known;
    for (CsvRecord record = reader.next(); !record.cells.empty(); record = reader.next()) {
        SystemRow row;
        row.place = fmt::format("{}:{}", name, record.line);
        if (record.cells.size() != head.cells.size()) {
            throw UserError{
                "{}: {} cells where the header has {}", row.place, record.cells.size(), head.cells.size()};
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            row.*system_columns[i].second = record.cells[columns[i]];
        }
        row.value = system_value(record.cells[value], row.place);
        if (row.id.empty() || !known.insert(row.id).second) {
            throw UserError{
                "{}: {}",
                row.place,
                row.id.empty() ? "a row without an id" : "the id '" + row.id + "' was given before"};
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

std::vector<SystemRow> read_system_rows(const std::filesystem::path& file) {
    return parse_system_rows(process::read_text(file), file.string());
}

std::optional<std::uint64_t> bytes_in(std::string_view text, std::size_t at) {
    constexpr std::array<std::pair<std::string_view, double>, 7> units{{{"kib", 1024.0},
                                                                        {"mib", 1024.0 * 1024},
                                                                        {"gib", 1024.0 * 1024 * 1024},
                                                                        {"kb", 1e3},
                                                                        {"mb", 1e6},
                                                                        {"gb", 1e9},
                                                                        {"b", 1}}};
    const std::string small = lower(text);
    while (at < small.size()) {
        if (!is_digit(small[at])) {
            ++at;
            continue;
        }
        char* end = nullptr;
        const double amount = std::strtod(small.c_str() + at, &end);
        at = static_cast<std::size_t>(end - small.c_str());
        const std::size_t word = std::min(small.find_first_not_of(' ', at), small.size());
        for (const auto& [unit, factor] : units) {
            const std::size_t behind = word + unit.size();
            const bool ends = behind >= small.size() || small[behind] < 'a' || small[behind] > 'z';
            if (small.compare(word, unit.size(), unit) == 0 && ends && amount * factor < 1e18) {
                return static_cast<std::uint64_t>(std::llround(amount * factor));
            }
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    constexpr std::uint64_t most = 1'000'000'000'000;
    const std::size_t at = std::min(text.find_first_of("0123456789"), text.size());
    std::uint64_t value = 0;
    std::size_t i = at;
    for (; i < text.size() && is_digit(text[i]) && value < most; ++i) {
        value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
    }
    return i == at ? std::nullopt : std::optional{value};
}

std::optional<StatedChip> stated_chip(const SystemRow& row) {
    const std::string chip = lower(row.chip);
    if (chip.starts_with("910c") || chip == "a3") {
        return StatedChip{"910c", {}};
    }
    for (const char* which : {"910b1", "910b2", "910b3", "910b4"}) {
        if (chip.starts_with(which) && !chip.starts_with("910b2c")) {
            return StatedChip{which, {}};
        }
    }
    if (chip.starts_with("910b") || chip.find("a2") != std::string::npos) {
        return StatedChip{"910b3", "the chip is taken to be a 910B3"};
    }
    for (const auto& [word, which] : {std::pair{"310p", "310p3"}, std::pair{"910a", "910a"}}) {
        if (chip.starts_with(word)) {
            return StatedChip{which, {}};
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view word) {
    const std::string small = lower(text);
    for (std::size_t at = small.find(word); at != std::string::npos; at = small.find(word, at + 1)) {
        const std::size_t behind = std::min(small.find_first_not_of(' ', at + word.size()), small.size());
        if (behind < small.size() && is_digit(small[behind])) {
            return number_in(std::string_view{small}.substr(behind));
        }
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
