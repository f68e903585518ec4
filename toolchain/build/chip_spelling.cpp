// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build/chip_spelling.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>

#include "sim/base/pattern.hpp"
#include "sim/process/subprocess.hpp"
#include "toolchain/installation/cache_files.hpp"
#include "toolchain/rewrite/program_text.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

constexpr std::string_view ambiguous = "conditional expression is ambiguous";
constexpr std::string_view repeated = "does not specialize any template argument";

/// The text with lines that name files blanked out, so that a compiler counts the lines that are there.
std::string without_markers(std::string text) {
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (text[at] == '#') {
            std::fill(text.begin() + static_cast<std::ptrdiff_t>(at),
                      text.begin() + static_cast<std::ptrdiff_t>(end),
                      ' ');
        }
        at = end + 1;
    }
    return text;
}

/// Where each line starts.
std::vector<std::size_t> line_starts(const std::string& text) {
    std::vector<std::size_t> starts{0};
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
        starts.push_back(at + 1);
    }
    return starts;
}

/// The ranges of the text that messages name as sides of ambiguous conditions: where they begin and end.
std::set<std::pair<std::size_t, std::size_t>> sides(const std::string& messages, const std::string& text) {
    static const Pattern line{
        R"(\{(\d+):(\d+)-(\d+):(\d+)\}\{(\d+):(\d+)-(\d+):(\d+)\}: error: conditional expression is ambiguous)"};
    const std::vector<std::size_t> starts = line_starts(text);
    std::set<std::pair<std::size_t, std::size_t>> found;
    for (const PatternMatch& match : line.all(messages)) {
        const auto number = [&match](std::size_t group) {
            std::uint32_t value = 0;
            std::from_chars(match[group].data(), match[group].data() + match[group].size(), value);
            return std::size_t{value};
        };
        const auto place = [&](std::size_t group) {
            const std::size_t row = number(group);
            return row == 0 || row > starts.size() ? text.size() : starts[row - 1] + number(group + 1) - 1;
        };
        for (const std::size_t group : {1U, 5U}) {
            if (place(group + 2) <= text.size() && place(group) < place(group + 2)) {
                found.emplace(place(group), place(group + 2));
            }
        }
    }
    return found;
}

/// Puts a call around each range; one may lie within another.
std::string with_one_type(const std::string& text,
                          const std::set<std::pair<std::size_t, std::size_t>>& ranges) {
    std::map<std::size_t, std::string> insertions;
    for (const auto& [begin, end] : ranges) {
        insertions[begin] += "::AscendC::SideOfChoice(";
        insertions[end].insert(0, ")");
    }
    std::string result;
    std::size_t from = 0;
    for (const auto& [at, words] : insertions) {
        result += text.substr(from, at - from) + words;
        from = at;
    }
    return result + text.substr(from);
}

}  // namespace

bool is_chip_spelling(std::string_view messages) {
    return messages.find(ambiguous) != std::string_view::npos ||
           messages.find(repeated) != std::string_view::npos ||
           messages.find("aicore") != std::string_view::npos;
}

bool may_differ_in_memory(std::string_view messages) {
    constexpr std::array<std::string_view, 4> signs{
        "partial specialization", "explicit specialization", "redefinition of", "is ambiguous"};
    return std::ranges::any_of(
        signs, [&](std::string_view sign) { return messages.find(sign) != std::string_view::npos; });
}

std::vector<std::string> qualified_memory() {
    return {"-fms-extensions", "-DASCENDSIM_QUALIFIED_GM"};
}

std::string in_host_spelling(std::string text,
                             const std::vector<std::string>& command,
                             const std::string& base) {
    constexpr int most = 3;  // sides may hold further conditions
    text = without_repeated_templates(without_attribute(std::move(text)));
    const std::string file = base + ".spelling.ii";
    for (int round = 0; round < most; ++round) {
        write_whole(file, without_markers(text));
        std::vector<std::string> words = command;
        words.insert(words.end(),
                     {"-fsyntax-only",
                      "-fdiagnostics-print-source-range-info",
                      "-fno-caret-diagnostics",
                      "-ferror-limit=0",
                      file});
        process::Subprocess process{words};
        process.wait();
        const auto found = sides(process.output(), text);
        std::filesystem::remove(file);
        if (found.empty()) {
            break;
        }
        text = with_one_type(text, found);
    }
    return text;
}

}  // namespace ascendsim::toolchain
