// SPDX-License-Identifier: Apache-2.0
#include "app/validation/row.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "app/validation/number_text.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {
namespace {

bool is_digit(char letter) {
    return std::isdigit(static_cast<unsigned char>(letter)) != 0;
}

bool is_letter(char letter) {
    return std::isalpha(static_cast<unsigned char>(letter)) != 0;
}

std::string plain_words(std::string_view text) {
    std::string result;
    for (const char letter : lower(text)) {
        const bool plain = is_digit(letter) || is_letter(letter);
        if (plain || (!result.empty() && result.back() != ' ')) {
            result += plain ? letter : ' ';
        }
    }
    return result;
}

}  // namespace

Row::Row(const Measurement& given)
    : measurement{&given},
      kernel{plain_words(given.kernel)},
      notes{lower(given.notes)},
      shape{parse_shape(given.shape)},
      types{parse_types(given.dtype)},
      cores{parse_cores(given.cores)} {
    const std::optional<PatternMatch> match = Pattern{"\\bout ([0-9,]+)"}.search(notes);
    if (shape.outputs.empty() && match) {
        const ShapeText out = parse_shape("[" + std::string{(*match)[1]} + "]");
        if (const Extents* const extents = out.tensor(0)) {
            shape.outputs.push_back(*extents);
        }
    }
    // "4096x4096 addmv", of torch addmv, says nothing new.
    std::erase_if(shape.unread, [this](const std::string& piece) {
        return (" " + kernel + " ").find(" " + lower(piece) + " ") != std::string::npos;
    });
}

std::string Row::not_understood() const {
    if (!types.unread.empty()) {
        return fmt::format("'{}' among its types is not known", types.unread);
    }
    return shape.not_understood();
}

bool Row::kernel_has(std::initializer_list<std::string_view> words) const {
    std::string joined = kernel;
    std::erase(joined, ' ');
    return std::ranges::any_of(words, [&](std::string_view word) {
        std::string wanted{word};
        std::erase(wanted, ' ');
        return joined.find(wanted) != std::string::npos;
    });
}

bool Row::notes_have(std::string_view text) const {
    return notes.find(lower(text)) != std::string::npos;
}

std::optional<std::string> Row::attribute(std::string_view key) const {
    constexpr std::string_view quotes = "\"'";
    const std::string wanted = lower(key);
    for (std::size_t at = notes.find(wanted); at != std::string::npos; at = notes.find(wanted, at + 1)) {
        const bool whole = at == 0 || (!is_letter(notes[at - 1]) && notes[at - 1] != '_');
        std::size_t value = at + wanted.size();
        if (value < notes.size() && quotes.find(notes[value]) != std::string_view::npos) {
            ++value;  // {"epsilon": "1e-6"}, as JSON and Python have it
        }
        while (value < notes.size() && notes[value] == ' ') {
            ++value;
        }
        if (!whole || value >= notes.size() || (notes[value] != ':' && notes[value] != '=')) {
            continue;
        }
        const std::size_t begin = notes.find_first_not_of(" :=\"'", value);
        if (begin == std::string::npos) {
            return std::nullopt;
        }
        if (notes[begin] != '[' && notes[begin] != '(') {
            const std::size_t end = std::min(notes.find_first_of(",;}\"'", begin), notes.size());
            return notes.substr(begin, end - begin);
        }
        std::size_t end = begin;
        for (int depth = 0; end < notes.size() && (depth > 0 || end == begin); ++end) {
            const bool opens = notes[end] == '[' || notes[end] == '(';
            depth += opens ? 1 : notes[end] == ']' || notes[end] == ')' ? -1 : 0;
        }
        return notes.substr(begin, end - begin);
    }
    return std::nullopt;
}

std::optional<std::int64_t> Row::integer(std::string_view key) const {
    const std::optional<std::string> text = attribute(key);
    const std::optional<PatternMatch> match = text ? Pattern{"^-?\\d+"}.search(*text) : std::nullopt;
    return match ? std::optional{number_of<std::int64_t>((*match)[0])} : std::nullopt;
}

std::optional<bool> Row::flag(std::string_view key) const {
    const std::optional<std::string> text = attribute(key);
    return !text ? std::nullopt : std::optional{text->starts_with("true") || *text == "1"};
}

std::vector<std::int64_t> Row::list(std::string_view key) const {
    std::vector<std::int64_t> result;
    const std::string text = attribute(key).value_or(std::string{});
    for (const PatternMatch& one : Pattern{"-?\\d+"}.all(text)) {
        result.push_back(number_of<std::int64_t>(one[0]));
    }
    return result;
}

}  // namespace ascendsim::validation
