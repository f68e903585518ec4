// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/words/buffer_names.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace ascendsim::sanitize {

namespace {

constexpr std::string_view blanks = " \t\r\n\\";

std::string_view trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(blanks);
    return from == std::string_view::npos ? std::string_view{}
                                          : text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

/// `text` with blanks in place of comments.
std::string without_comments(std::string_view text) {
    std::string result{text};
    for (std::size_t i = 0; i + 1 < result.size(); ++i) {
        if (result[i] != '/' || (result[i + 1] != '/' && result[i + 1] != '*')) {
            continue;
        }
        const bool to_end_of_line = result[i + 1] == '/';
        const std::size_t end = to_end_of_line ? result.find('\n', i) : result.find("*/", i + 2);
        const std::size_t behind = end == std::string::npos ? result.size() : to_end_of_line ? end : end + 2;
        std::replace_if(
            result.begin() + static_cast<std::ptrdiff_t>(i),
            result.begin() + static_cast<std::ptrdiff_t>(behind),
            [](char c) { return c != '\n'; },
            ' ');
        i = behind - 1;
    }
    return result;
}

/// The first argument of a call whose arguments `text` begins with; none if it does not end.
std::optional<std::string> first_argument(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (depth == 0 && (c == ',' || c == ')')) {
            std::string_view argument = trimmed(text.substr(0, i));
            constexpr std::string_view own = "this->";
            argument.remove_prefix(argument.starts_with(own) ? own.size() : 0);
            return argument.empty() ? std::nullopt : std::optional{std::string{argument}};
        }
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
    }
    return std::nullopt;
}

/// Where line `line`, from 1, begins; none if there are fewer.
std::optional<std::size_t> beginning_of(std::string_view source, std::uint32_t line) {
    std::size_t at = 0;
    for (std::uint32_t i = 1; i < line; ++i) {
        const std::size_t end = source.find('\n', at);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        at = end + 1;
    }
    return line == 0 ? std::nullopt : std::optional{at};
}

}  // namespace

std::vector<std::string> buffer_names(std::string_view source, std::uint32_t line) {
    constexpr std::string_view call = "InitBuffer";
    constexpr std::size_t longest = 2000;  // of a call over several lines; B
    std::vector<std::string> names;
    const std::optional<std::size_t> begin = beginning_of(source, line);
    if (!begin) {
        return names;
    }
    const std::string text = without_comments(source.substr(*begin, longest));
    // A call belongs to the line where its statement begins: the object may stand a line before the function.
    const std::size_t end_of_line = std::min(text.find('\n'), text.size());
    const std::string_view first = trimmed(std::string_view{text}.substr(0, end_of_line));
    const bool ends = first.empty() || std::string_view{";{}"}.find(first.back()) != std::string_view::npos;
    const std::size_t end =
        ends ? end_of_line : std::min(text.find_first_of(";{}", end_of_line), text.size());
    for (std::size_t at = text.find(call); at < end; at = text.find(call, at + 1)) {
        if (at > end_of_line && !names.empty()) {
            break;
        }
        const std::size_t open = text.find_first_not_of(blanks, at + call.size());
        if (open == std::string::npos || text[open] != '(') {
            continue;
        }
        std::optional<std::string> name = first_argument(std::string_view{text}.substr(open + 1));
        if (name && std::ranges::find(names, *name) == names.end()) {
            names.push_back(std::move(*name));
        }
    }
    return names;
}

const std::string& BufferNames::at(Site site) {
    const auto [entry, fresh] = known_.try_emplace({site.file, site.line});
    if (fresh) {
        std::ifstream file{site.file};
        const std::string source{std::istreambuf_iterator<char>{file}, {}};
        entry->second = fmt::format("{}", fmt::join(buffer_names(source, site.line), " or "));
    }
    return entry->second;
}

}  // namespace ascendsim::sanitize
