// SPDX-License-Identifier: Apache-2.0
#include "app/validation/row.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

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

std::optional<std::uint64_t> number(std::string_view text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? std::optional{value}
                                                                                     : std::nullopt;
}

/// "8x16x4" or "8,16,4" (any of the separators given) as extents; nothing if it is something else.
std::optional<Extents> extents(std::string_view text, std::string_view separators) {
    Extents result;
    while (true) {
        const std::size_t end = std::min(text.find_first_of(separators), text.size());
        std::string_view part = text.substr(0, end);
        while (part.starts_with(' ')) {
            part.remove_prefix(1);
        }
        while (part.ends_with(' ')) {
            part.remove_suffix(1);
        }
        const std::optional<std::uint64_t> value = number(part);
        if (!value) {
            return std::nullopt;
        }
        result.push_back(*value);
        if (end == text.size()) {
            return result;
        }
        text.remove_prefix(end + 1);
    }
}

std::string without_remarks(std::string_view text) {
    std::string result;
    int depth = 0;
    for (const char letter : text) {
        depth += letter == '(' ? 1 : 0;
        if (depth == 0) {
            result += letter;
        }
        depth -= letter == ')' && depth > 0 ? 1 : 0;
    }
    return result;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts{""};
    for (const char letter : text) {
        if (letter == at) {
            parts.emplace_back();
        } else {
            parts.back() += letter;
        }
    }
    return parts;
}

/// Reads one argument of a shape: words, tensors and lists of them.
class ArgumentReader {
public:
    ArgumentReader(std::string text, ShapeText& result) : text_{std::move(text)}, result_{result} {}

    void read() {
        while (at_ < text_.size()) {
            const char letter = text_[at_];
            if (letter == '[') {
                bracket();
            } else if (is_digit(letter) || is_letter(letter)) {
                word();
            } else {
                ++at_;
            }
        }
        if (tensors_.empty() && text_.find_first_not_of(" -") == std::string::npos &&
            text_.find('-') != std::string::npos) {
            tensors_.push_back({.extents = {}, .given = false});
        }
        if (!tensors_.empty()) {
            result_.arguments.push_back(std::move(tensors_));
        }
    }

private:
    // [8,16] is one tensor; [8x16, 4] is a list of two. Behind another bracket a tensor is an argument.
    void bracket() {
        const std::size_t end = std::min(text_.find(']', at_), text_.size());
        const std::string inside = text_.substr(at_ + 1, end - at_ - 1);
        at_ = std::min(end + 1, text_.size());
        if (inside.find_first_of("x*") == std::string::npos) {
            if (const std::optional<Extents> plain = extents(inside, ",")) {
                next_argument();
                tensors_.push_back({.extents = *plain});
                bracketed_ = true;
            }
            return;
        }
        for (const std::string& part : split(inside, ',')) {
            if (const std::optional<Extents> one = extents(part, "x*")) {
                tensors_.push_back({.extents = *one});
            }
        }
    }

    void next_argument() {
        if (bracketed_) {
            result_.arguments.push_back(std::exchange(tensors_, {}));
        }
    }

    void word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (is_digit(text_[at_]) || is_letter(text_[at_]) || text_[at_] == '_' || text_[at_] == '*')) {
            ++at_;
        }
        const std::string token = lower(std::string_view{text_}.substr(begin, at_ - begin));
        if (token == "scalar") {
            tensors_.push_back({});
        } else if (is_digit(token.front())) {
            counted(token);
        } else {
            named(token);
        }
    }

    // "8x16", "8", or a count before its word: "30000 elem".
    void counted(const std::string& token) {
        std::optional<Extents> shape = extents(token, "x*");
        if (!shape) {
            return;
        }
        if (shape->size() == 1) {
            std::size_t next = at_;
            while (next < text_.size() && text_[next] == ' ') {
                ++next;
            }
            std::string word;
            while (next < text_.size() && is_letter(text_[next])) {
                word += text_[next++];
            }
            const bool dimension = next < text_.size() && is_digit(text_[next]);
            if (!word.empty() && !dimension && word != "x") {
                result_.named.emplace(lower(word), shape->front());
                return;
            }
        }
        tensors_.push_back({.extents = std::move(*shape)});
    }

    // "m8192", or "m" with "= 8192" or ": 8192" behind it.
    void named(const std::string& token) {
        const std::size_t digits = token.find_first_of("0123456789");
        if (digits != std::string::npos) {
            if (const auto value = number(std::string_view{token}.substr(digits))) {
                result_.named.emplace(token.substr(0, digits), *value);
            }
            return;
        }
        std::size_t next = at_;
        while (next < text_.size() && (text_[next] == ' ' || text_[next] == '=' || text_[next] == ':')) {
            ++next;
        }
        const bool joined = text_.find_first_of("=:", at_) < next;
        const bool loose = next > at_ && next < text_.size() && is_digit(text_[next]);
        std::string value;
        while (next < text_.size() && is_digit(text_[next])) {
            value += text_[next++];
        }
        const bool whole = next >= text_.size() || (text_[next] != 'x' && text_[next] != '*');
        if (loose && whole && (joined || token.size() > 1)) {
            result_.named.emplace(token, number(value).value_or(0));
            at_ = next;
        }
    }

    std::string text_;
    ShapeText& result_;
    std::size_t at_ = 0;
    std::vector<TensorShape> tensors_;
    bool bracketed_ = false;
};

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

std::uint64_t TensorShape::elements() const {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : extents) {
        count *= extent;
    }
    return count;
}

const Extents* ShapeText::tensor(std::size_t argument) const {
    if (argument >= arguments.size() || arguments[argument].empty() || !arguments[argument].front().given) {
        return nullptr;
    }
    return &arguments[argument].front().extents;
}

std::optional<std::uint64_t> ShapeText::get(std::string_view name) const {
    const auto found = named.find(std::string{name});
    return found == named.end() ? std::nullopt : std::optional{found->second};
}

std::optional<std::uint64_t> ShapeText::elements() const {
    if (!arguments.empty() && !arguments.front().empty() && arguments.front().front().given) {
        return arguments.front().front().elements();
    }
    for (const char* const word : {"elem", "elems", "element", "elements"}) {
        if (const std::optional<std::uint64_t> count = get(word)) {
            return count;
        }
    }
    return std::nullopt;
}

ShapeText parse_shape(std::string_view text) {
    ShapeText result;
    std::string plain = without_remarks(text);
    if (const std::size_t arrow = plain.find("->"); arrow != std::string::npos) {
        for (const std::vector<TensorShape>& argument : parse_shape(plain.substr(arrow + 2)).arguments) {
            for (const TensorShape& tensor : argument) {
                result.outputs.push_back(tensor.extents);
            }
        }
        plain.erase(arrow);
    }
    for (const std::string& argument : split(plain, ';')) {
        ArgumentReader{argument, result}.read();
    }
    return result;
}

Row::Row(const Measurement& given)
    : measurement{&given},
      kernel{plain_words(given.kernel)},
      notes{lower(given.notes)},
      shape{parse_shape(given.shape)},
      types{parse_types(given.dtype)},
      cores{parse_cores(given.cores)} {
    const std::optional<PatternMatch> match = Pattern{"\\bout ([0-9,]+)"}.search(notes);
    if (shape.outputs.empty() && match) {
        if (const std::optional<Extents> out = extents((*match)[1], ",")) {
            shape.outputs.push_back(*out);
        }
    }
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
    const std::string wanted = lower(key);
    for (std::size_t at = notes.find(wanted); at != std::string::npos; at = notes.find(wanted, at + 1)) {
        const bool whole = at == 0 || (!is_letter(notes[at - 1]) && notes[at - 1] != '_');
        std::size_t value = at + wanted.size();
        while (value < notes.size() && notes[value] == ' ') {
            ++value;
        }
        if (!whole || value >= notes.size() || (notes[value] != ':' && notes[value] != '=')) {
            continue;
        }
        const std::size_t begin = notes.find_first_not_of(" :=", value);
        if (begin == std::string::npos) {
            return std::nullopt;
        }
        if (notes[begin] != '[') {
            return notes.substr(begin, std::min(notes.find_first_of(",;", begin), notes.size()) - begin);
        }
        std::size_t end = begin;
        for (int depth = 0; end < notes.size() && (depth > 0 || end == begin); ++end) {
            depth += notes[end] == '[' ? 1 : notes[end] == ']' ? -1 : 0;
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
