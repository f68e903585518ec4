// SPDX-License-Identifier: Apache-2.0
#include "app/validation/calibrated_rows.hpp"

#include <algorithm>
#include <limits>
#include <sstream>

#include "app/validation/number_text.hpp"
#include "sim/base/pattern.hpp"
#include "sim/process/file_text.hpp"

namespace ascendsim::validation {
namespace {

/// The lines of a file that hold `mark`.
std::vector<std::string> lines_with(const std::filesystem::path& file, std::string_view mark) {
    std::istringstream text{process::read_text(file)};
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
        if (line.find(mark) != std::string::npos) {
            lines.push_back(line);
        }
    }
    return lines;
}

}  // namespace

CalibratedRows::CalibratedRows(const std::filesystem::path& chips,
                               const std::filesystem::path& measurements) {
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator{chips}) {
        if (entry.path().extension() == ".toml") {
            for (const std::string& line : lines_with(entry.path(), R"(tag = "calibrated")")) {
                read(line);
            }
        }
    }
    for (const std::string& line : lines_with(measurements / "sources.toml", "why = ")) {
        read(line);
    }
    know(read_measurements(measurements / "measurements.csv"));
}

CalibratedRows::CalibratedRows(const std::vector<std::string>& texts, const std::vector<Measurement>& known) {
    for (const std::string& text : texts) {
        read(text);
    }
    know(known);
}

void CalibratedRows::know(const std::vector<Measurement>& known) {
    for (const Measurement& row : known) {
        known_.emplace(row.id, row);
    }
}

void CalibratedRows::read(std::string_view text) {
    static const Pattern rows{R"(\b([A-Z][A-Z0-9]+)-(\d+)(,| and| to)?)"};
    static const Pattern more{R"(^ *(to|,|and)? *([A-Z][A-Z0-9]*)?-?(\d{2,4})\b(,| and| to)?)"};
    static const Pattern families{R"(\b([A-Z][A-Z0-9]+)( and [A-Z][A-Z0-9]+)? rows)"};
    for (const PatternMatch& match : rows.all(text)) {
        const std::string family{match[1]};
        std::uint64_t last = number_of<std::uint64_t>(match[2]);
        named_.push_back({family, {last, last}});
        // "GEMM-005 to GEMM-008", "QGEMM-082 to 091", "VEC-034, -054"
        std::size_t at = match.end;
        bool range = match[3] == " to";
        while (const auto next = more.search(text.substr(at))) {
            const bool same = !next->matched(2) || (*next)[2] == family;
            const bool joined = range || (*next)[0].find('-') != std::string_view::npos;
            if (!same || !joined) {
                break;
            }
            const auto number = number_of<std::uint64_t>((*next)[3]);
            named_.push_back({family, {range ? last : number, number}});
            last = number;
            at += next->end;
            range = next->matched(4) && (*next)[4] == " to";
        }
    }
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    for (const PatternMatch& match : families.all(text)) {
        named_.push_back({std::string{match[1]}, {0, all}});
        if (match.matched(2)) {
            named_.push_back({std::string{match[2].substr(std::string_view{" and "}.size())}, {0, all}});
        }
    }
}

bool CalibratedRows::holds(const Measurement& row) const {
    const auto known = known_.find(row.id);
    if (known == known_.end() || known->second.value != row.value || known->second.source != row.source) {
        return false;
    }
    const std::string family = row.family();
    const std::string run = row.run_id();
    if (run.size() <= family.size() + 1) {
        return false;
    }
    const auto number = number_of<std::uint64_t>(std::string_view{run}.substr(family.size() + 1));
    return std::ranges::any_of(named_, [&](const auto& one) {
        return one.first == family && number >= one.second.first && number <= one.second.second;
    });
}

}  // namespace ascendsim::validation
