// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/line_match.hpp"

#include <algorithm>
#include <sstream>

#include "app/analysis/file_name.hpp"

namespace ascendsim::analysis {

namespace {

using nlohmann::json;
using Lines = std::vector<std::string>;

/// Lines without the blanks around them: indentation does not make another line.
Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) {
        const std::size_t from = line.find_first_not_of(" \t\r");
        const std::size_t to = line.find_last_not_of(" \t\r");
        lines.push_back(from == std::string::npos ? std::string{} : line.substr(from, to - from + 1));
    }
    return lines;
}

std::map<std::string, Lines> sources_of(const record::Recording& recording) {
    std::map<std::string, Lines> sources;
    const json& metadata = recording.metadata();
    const json texts = metadata.is_object() ? metadata.value("sources", json::object()) : json::object();
    for (const auto& [path, text] : texts.items()) {
        if (text.is_string()) {
            sources.emplace(file_name(path), lines_of(text.get<std::string>()));
        }
    }
    return sources;
}

std::string kernel_of(const record::Recording& recording) {
    const json& metadata = recording.metadata();
    return metadata.is_object() ? metadata.value("kernel", std::string{}) : std::string{};
}

/// A stretch of both texts that is not matched yet.
struct Gap {
    std::size_t a;
    std::size_t a_end;
    std::size_t b;
    std::size_t b_end;
};

/// The longest common subsequence of a stretch, or nothing for one whose table would be too large.
void match_gap(const Lines& a, const Lines& b, Gap gap, std::vector<std::size_t>& result) {
    constexpr std::size_t most = 16'000'000;
    const std::size_t rows = gap.a_end - gap.a;
    const std::size_t columns = gap.b_end - gap.b;
    if (rows == 0 || columns == 0 || rows * columns > most) {
        return;
    }
    std::vector<std::vector<std::uint32_t>> length(rows + 1, std::vector<std::uint32_t>(columns + 1));
    for (std::size_t i = rows; i-- > 0;) {
        for (std::size_t j = columns; j-- > 0;) {
            length[i][j] = a[gap.a + i] == b[gap.b + j] ? length[i + 1][j + 1] + 1
                                                        : std::max(length[i + 1][j], length[i][j + 1]);
        }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
        if (a[gap.a + i] == b[gap.b + j]) {
            result[gap.b + j++] = gap.a + i++;
        } else {
            length[i + 1][j] >= length[i][j + 1] ? ++i : ++j;
        }
    }
}

/// Pairs lines between matches where there are as many on both sides.
void pair_edited(std::size_t size_a, std::vector<std::size_t>& result) {
    std::size_t next_a = 0;
    for (std::size_t j = 0; j < result.size();) {
        if (result[j] != size_a) {
            next_a = result[j++] + 1;
            continue;
        }
        std::size_t end = j;
        while (end < result.size() && result[end] == size_a) {
            ++end;
        }
        const std::size_t until = end < result.size() ? result[end] : size_a;
        const bool paired = until - next_a == end - j;
        for (; j < end; ++j) {
            result[j] = paired ? next_a++ : size_a;
        }
    }
}

}  // namespace

std::vector<std::size_t> matched_lines(const Lines& a, const Lines& b) {
    std::vector<std::size_t> result(b.size(), a.size());
    Gap gap{0, a.size(), 0, b.size()};
    for (; gap.a < gap.a_end && gap.b < gap.b_end && a[gap.a] == b[gap.b]; ++gap.a, ++gap.b) {
        result[gap.b] = gap.a;
    }
    for (; gap.a < gap.a_end && gap.b < gap.b_end && a[gap.a_end - 1] == b[gap.b_end - 1];
         --gap.a_end, --gap.b_end) {
        result[gap.b_end - 1] = gap.a_end - 1;
    }
    match_gap(a, b, gap, result);
    pair_edited(a.size(), result);
    return result;
}

LineMatch::LineMatch(const record::Recording& a, const record::Recording& b) {
    const std::map<std::string, Lines> sources_a = sources_of(a);
    for (const auto& [name, text] : sources_of(b)) {
        // A copy of the source under another name is still the same kernel's.
        const bool own = name == kernel_of(b) + ".cpp";
        auto other = sources_a.find(name);
        other = other == sources_a.end() && own ? sources_a.find(kernel_of(a) + ".cpp") : other;
        if (other == sources_a.end()) {
            continue;
        }
        File file{.name_in_a = other->first, .lines = {0}};
        for (const std::size_t line : matched_lines(other->second, text)) {
            file.lines.push_back(line == other->second.size() ? 0 : static_cast<std::uint32_t>(line + 1));
        }
        files_.emplace(name, std::move(file));
    }
}

std::optional<record::SourceLine> LineMatch::in_a(const record::SourceLine& place_in_b) const {
    const std::string name = file_name(place_in_b.file);
    const auto file = files_.find(name);
    if (file == files_.end()) {
        return record::SourceLine{.file = name, .line = place_in_b.line};
    }
    const std::uint32_t line =
        place_in_b.line < file->second.lines.size() ? file->second.lines[place_in_b.line] : place_in_b.line;
    return line == 0 ? std::nullopt
                     : std::optional{record::SourceLine{.file = file->second.name_in_a, .line = line}};
}

}  // namespace ascendsim::analysis
