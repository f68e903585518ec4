// SPDX-License-Identifier: Apache-2.0
#include "app/validation/measurement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/validation/csv_reader.hpp"
#include "sim/base/error.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::validation {
namespace {

using Field = std::string Measurement::*;

constexpr std::array<std::pair<std::string_view, Field>, 11> text_columns{
    {{"id", &Measurement::id},
     {"source", &Measurement::source},
     {"chip", &Measurement::chip},
     {"kernel", &Measurement::kernel},
     {"shape", &Measurement::shape},
     {"dtype", &Measurement::dtype},
     {"metric", &Measurement::metric},
     {"unit", &Measurement::unit},
     {"cores", &Measurement::cores},
     {"notes", &Measurement::notes},
     {"reliability", &Measurement::reliability}}};

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    const std::size_t end = text.find_last_not_of(" \t");
    return begin == std::string::npos ? std::string{} : text.substr(begin, end - begin + 1);
}

double number(const std::string& text, const std::string& place) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0' || !std::isfinite(value)) {
        throw UserError{"{}: value '{}' is not a number", place, text};
    }
    return value;
}

/// Where each column is in the header.
class Header {
public:
    Header(const CsvRecord& record, const std::string& name) : length_{record.cells.size()} {
        for (const auto& [column, field] : text_columns) {
            columns_.push_back(find(record, column, name));
        }
        value_ = find(record, "value", name);
    }

    [[nodiscard]] Measurement read(const CsvRecord& record, const std::string& name) const {
        Measurement result;
        result.place = fmt::format("{}:{}", name, record.line);
        if (record.cells.size() != length_) {
            throw UserError{
                "{}: {} cells where the header has {}", result.place, record.cells.size(), length_};
        }
        for (std::size_t i = 0; i < text_columns.size(); ++i) {
            result.*text_columns[i].second = trimmed(record.cells[columns_[i]]);
        }
        result.value = number(trimmed(record.cells[value_]), result.place);
        if (result.id.empty()) {
            throw UserError{"{}: a row without an id", result.place};
        }
        return result;
    }

private:
    static std::size_t find(const CsvRecord& record, std::string_view column, const std::string& name) {
        const auto found = std::ranges::find_if(
            record.cells, [&](const std::string& cell) { return trimmed(cell) == column; });
        if (found == record.cells.end()) {
            throw UserError{"{}:{}: no column '{}' (there are: {})",
                            name,
                            record.line,
                            column,
                            fmt::join(record.cells, ", ")};
        }
        return static_cast<std::size_t>(found - record.cells.begin());
    }

    std::size_t length_;
    std::vector<std::size_t> columns_;
    std::size_t value_ = 0;
};

}  // namespace

std::string Measurement::family() const {
    return id.substr(0, id.find_first_of("-."));
}

std::string Measurement::run_id() const {
    const std::size_t dash = id.find('-');
    const std::size_t dot = id.find('.', dash == std::string::npos ? 0 : dash);
    return id.substr(0, dot);
}

std::vector<Measurement> parse_measurements(const std::string& text, const std::string& name) {
    CsvReader reader{text, name};
    const CsvRecord head = reader.next();
    if (head.cells.empty()) {
        throw UserError{"{}: holds no header", name};
    }
    const Header header{head, name};
    std::vector<Measurement> rows;
    std::set<std::string> known;
    for (CsvRecord record = reader.next(); !record.cells.empty(); record = reader.next()) {
        rows.push_back(header.read(record, name));
        if (!known.insert(rows.back().id).second) {
            throw UserError{"{}: the id '{}' was given before", rows.back().place, rows.back().id};
        }
    }
    return rows;
}

std::vector<Measurement> read_measurements(const std::filesystem::path& file) {
    return parse_measurements(process::read_text(file), file.string());
}

}  // namespace ascendsim::validation
