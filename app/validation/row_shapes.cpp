// SPDX-License-Identifier: Apache-2.0
// The column of shapes of a row. People write shapes as they like: what is read here is either wholly
// understood, or kept as a text that was not, so that no row is run with half of its shape.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "app/validation/row.hpp"
#include "app/validation/written_number.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {
namespace {

bool digit_at(std::string_view text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
}

bool letter_at(std::string_view text, std::size_t at) {
    return at < text.size() && (std::isalpha(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
}

bool is_by(char letter) {
    return letter == 'x' || letter == 'X' || letter == '*';
}

std::size_t past_blanks(std::string_view text, std::size_t at) {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) {
        ++at;
    }
    return at;
}

std::string without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t");
    const std::size_t end = text.find_last_not_of(" \t");
    return begin == std::string_view::npos ? std::string{} : std::string{text.substr(begin, end - begin + 1)};
}

std::vector<std::string> parted(std::string_view text, char at) {
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

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

/// True if a list of words, each between blanks, holds the word.
bool lists_word(std::string_view words, std::string_view word) {
    return words.find(fmt::format(" {} ", word)) != std::string_view::npos;
}

/// Words for how tensors lie, and for masks, which the kernels that care look for themselves.
bool is_format(std::string_view word) {
    return lists_word(
        " nd nz zn zz nchw nhwc ncdhw ndhwc nc1hwc0 fractal bsnd bnsd bsh sbh tnd ntd causal masked each ",
        word);
}

/// Words that name a tensor and say nothing of it.
bool is_label(std::string_view word) {
    return lists_word(
        " a b c d x y q k v o w x1 x2 dy in input inputs out output bias query key value weight weights src "
        "dst lhs rhs self other data gamma beta grad shape size tensor index indices ",
        word);
}

/// Remarks in brackets that add nothing: sizes in bytes, and names of the axes that stand before them.
bool is_harmless_remark(const std::string& remark) {
    static const Pattern size{R"(~?\d+(\.\d+)? *[kmgt]?i?b( each| in all| total)?)"};
    static const Pattern words{
        R"(per rank|per core|text altered in fixture; inferred|b\[,s\],heads,head dim,rope dim|(non-?)?causal|masked|(sbh|bsh|bsnd|bnsd|tnd)( [0-9,x]+)?|[mnkbshdc](, ?[mnkbshdc])+)"};
    return size.whole(remark).has_value() || words.whole(remark).has_value();
}

/// Reads one argument of a shape: words, tensors and lists of them.
class ArgumentReader {
public:
    ArgumentReader(std::string text, ShapeText& result) : text_{std::move(text)}, result_{result} {}

    void read() {
        const std::string all = lower(without_blanks(text_));
        if (all == "-" || all == "none" || all == "null" || all == "n/a" || all == "n/s") {
            result_.arguments.push_back({{.extents = {}, .given = false}});
            return;
        }
        if (all == "same") {
            same();
            return;
        }
        while (at_ < text_.size()) {
            step();
        }
        finish_argument();
    }

private:
    void step() {
        const char letter = text_[at_];
        if (letter == ' ' || letter == '\t') {
            ++at_;
        } else if (letter == '[') {
            bracket();
        } else if (letter == ',') {
            comma();
        } else if (letter == '+') {
            plus();
        } else if (letter == '~' && digit_at(text_, past_blanks(text_, at_ + 1))) {
            about_ = true;
            at_ = past_blanks(text_, at_ + 1);
        } else if (digit_at(text_, at_)) {
            counted();
        } else if (letter_at(text_, at_)) {
            word();
        } else {
            not_read(at_ + 1);
        }
    }

    /// Keeps the text up to `end` as not understood, and goes there.
    void not_read(std::size_t end) {
        const std::string piece = without_blanks(std::string_view{text_}.substr(at_, end - at_));
        if (!piece.empty()) {
            result_.unread.push_back(piece);
        }
        at_ = end;
        about_ = false;
    }

    void finish_argument() {
        if (!tensors_.empty()) {
            result_.arguments.push_back(std::exchange(tensors_, {}));
        }
        comma_ = false;
    }

    /// A tensor behind a comma or behind one in brackets is the next argument.
    void add_tensor(Extents extents, bool in_brackets) {
        if (bracketed_ || comma_) {
            finish_argument();
        } else if (!tensors_.empty()) {
            result_.unread.push_back(fmt::format("two tensors side by side in '{}'", without_blanks(text_)));
        }
        tensors_.push_back({.extents = std::move(extents)});
        bracketed_ = in_brackets;
        comma_ = false;
    }

    // Between tensors of several extents it parts arguments; "8,128" and "4096, 4096" may as well be one.
    void comma() {
        const bool list = !tensors_.empty() && !bracketed_ && tensors_.back().extents.size() < 2 &&
                          digit_at(text_, past_blanks(text_, at_ + 1));
        if (list) {
            not_read(at_ + 1);
        } else {
            ++at_;
        }
        comma_ = true;
    }

    // The same extents once more, as another argument: "4x8 + same", "4x8; same".
    void same() {
        finish_argument();
        if (result_.arguments.empty() || result_.arguments.back().size() != 1) {
            result_.unread.emplace_back("same");
            return;
        }
        const std::vector<TensorShape> last = result_.arguments.back();
        result_.arguments.push_back(last);
    }

    void plus() {
        const std::size_t begin = past_blanks(text_, at_ + 1);
        if (lower(std::string_view{text_}.substr(begin, 4)) == "same" && !letter_at(text_, begin + 4)) {
            same();
            at_ = begin + 4;
        } else {
            not_read(at_ + 1);
        }
    }

    // [8,16] is one tensor; [8x16, 4] is a list of two.
    void bracket() {
        const std::size_t end = text_.find(']', at_);
        if (end == std::string::npos) {
            not_read(text_.size());
            return;
        }
        const std::string inside = text_.substr(at_ + 1, end - at_ - 1);
        const std::size_t begin = at_;
        at_ = end + 1;
        if (inside.find_first_of("xX*") == std::string::npos) {
            if (std::optional<Extents> plain = extents_of(inside, ",")) {
                add_tensor(std::move(*plain), true);
                return;
            }
        } else {
            std::vector<TensorShape> list;
            for (const std::string& part : parted(inside, ',')) {
                if (std::optional<Extents> one = extents_of(part, "xX*")) {
                    list.push_back({.extents = std::move(*one)});
                }
            }
            if (list.size() == parted(inside, ',').size()) {
                if (bracketed_ || comma_) {
                    finish_argument();
                }
                tensors_.insert(tensors_.end(), list.begin(), list.end());
                return;
            }
        }
        at_ = begin;
        not_read(end + 1);
    }

    using Number = WrittenNumber;

    [[nodiscard]] std::optional<Number> number_at(std::size_t begin) const {
        return written_number(text_, begin, about_);
    }

    // "8x16", "8 x 16", "8", or a count before its word: "30000 elem", "1,048,576 elem", "~99.9M elem".
    void counted() {
        const std::size_t begin = at_;
        std::optional<Number> first = grouped_number(text_, at_);
        if (!first) {
            first = number_at(at_);
        }
        if (!first || !first->whole) {
            not_read(end_of_token(begin));
            return;
        }
        std::size_t end = first->end;
        Extents extents{first->value};
        if (first->plain) {
            add_joined(extents, end, false);
            if (extents.size() == 1) {
                add_joined(extents, end, true);
            }
        }
        if (letter_at(text_, end) || (end < text_.size() && text_[end] == '.') || digit_at(text_, end)) {
            not_read(end_of_token(begin));  // "4x8b", "16ch", "2.5x4"
            return;
        }
        at_ = end;
        if (extents.size() == 1 && unit_behind(first->value, first->plain && !about_)) {
            return;
        }
        if (!first->plain || about_) {
            at_ = begin;
            not_read(end);
            return;
        }
        add_tensor(std::move(extents), false);
    }

    /// Takes the numbers behind an x, with blanks around each ("8 x 16 x 4") or none. With blanks, all must
    /// be single numbers: "8x16 x 16x4" are two tensors.
    void add_joined(Extents& extents, std::size_t& end, bool blanks) const {
        Extents more;
        std::size_t at = end;
        while (true) {
            const std::size_t by = blanks ? past_blanks(text_, at) : at;
            const std::size_t next = by < text_.size() && blanks ? past_blanks(text_, by + 1) : by + 1;
            if (by >= text_.size() || !is_by(text_[by]) || !digit_at(text_, next) ||
                (blanks && (by == at || next == by + 1))) {
                break;
            }
            const std::optional<Number> number = number_at(next);
            if (!number || !number->plain ||
                (blanks && number->end < text_.size() && is_by(text_[number->end]))) {
                return;
            }
            more.push_back(number->value);
            at = number->end;
        }
        extents.insert(extents.end(), more.begin(), more.end());
        end = at;
    }

    [[nodiscard]] std::size_t end_of_token(std::size_t from) const {
        const std::size_t end = text_.find_first_of(" ,;[", from);
        return std::min(end == std::string::npos ? text_.size() : end, text_.size());
    }

    /// Takes a word behind a number as what it counts; false if there is none.
    bool unit_behind(std::uint64_t value, bool exact) {
        std::size_t next = past_blanks(text_, at_);
        if (next == at_) {
            return false;
        }
        const std::size_t begin = next;
        while (letter_at(text_, next)) {
            ++next;
        }
        std::string unit = lower(std::string_view{text_}.substr(begin, next - begin));
        const std::size_t behind = past_blanks(text_, next);
        const bool labels =
            behind < text_.size() && std::string_view{"[=:"}.find(text_[behind]) != std::string::npos;
        if (unit.empty() || unit == "x" || digit_at(text_, next) || is_format(unit) || labels) {
            return false;
        }
        if (unit == "kv" && lower(std::string_view{text_}.substr(past_blanks(text_, next), 4)) == "head") {
            next = past_blanks(text_, next) + 4;
            next += next < text_.size() && text_[next] == 's' ? 1U : 0U;
            unit = "kv_heads";
        }
        if (lists_word(" b kb mb gb kib mib gib ", unit)) {
            unit = "bytes_in_" + unit;
        } else if (lists_word(" elems element elements ", unit)) {
            unit = "elem";
        }
        name(unit, value);
        if (!exact) {
            result_.assumed = fmt::format(
                "'{}' is taken as {}", without_blanks(std::string_view{text_}.substr(0, next)), value);
        }
        at_ = next;
        about_ = false;
        return true;
    }

    void name(const std::string& key, std::uint64_t value) {
        const auto [place, fresh] = result_.named.emplace(key, value);
        if (!fresh && place->second != value) {
            result_.unread.push_back(fmt::format("{} twice", key));
        }
    }

    void word() {
        const std::size_t begin = at_;
        std::size_t end = at_;
        while (letter_at(text_, end) || digit_at(text_, end)) {
            ++end;
        }
        const std::string token = lower(std::string_view{text_}.substr(begin, end - begin));
        if (token == "scalar") {
            add_tensor({}, false);
            at_ = end;
        } else if (token == "per" && lower(without_blanks(text_.substr(end, 5))) == "core") {
            at_ = end + 5;
        } else if (token == "x" && !tensors_.empty()) {
            times(end);
        } else if (!equals(token, end) && !joined_value(begin, token) && !loose_value(token, end)) {
            if (is_format(token) || (is_label(token) && tensor_at(past_blanks(text_, end)))) {
                at_ = end;
            } else {
                not_read(end);
            }
        }
    }

    /// True where a bracket stands, a tensor of several extents, or a format and one of these.
    [[nodiscard]] bool tensor_at(std::size_t at) const {
        static const Pattern tensor{R"(^(nz|nd|nchw|nhwc|nc1hwc0|fractal|ncdhw)? *(\[|\d+[xX*]\d))",
                                    Pattern::Case::any};
        return at < text_.size() && tensor.search(std::string_view{text_}.substr(at)).has_value();
    }

    // "8x16 x 16x4": a product's operands.
    void times(std::size_t end) {
        const std::size_t next = past_blanks(text_, end);
        if (next > end && tensors_.back().extents.size() > 1 && (digit_at(text_, next) || tensor_at(next))) {
            comma_ = true;
            at_ = next;
        } else {
            not_read(end);
        }
    }

    // "m = 8192", "S1: 128"; behind a label a bracket may stand.
    bool equals(const std::string& token, std::size_t end) {
        const std::size_t sign = past_blanks(text_, end);
        if (sign >= text_.size() || (text_[sign] != '=' && text_[sign] != ':')) {
            return false;
        }
        const std::size_t value = past_blanks(text_, sign + 1);
        if (value < text_.size() && text_[value] == '[' && is_label(token)) {
            at_ = value;
            return true;
        }
        return digit_at(text_, value) && take_value(token, value);
    }

    // "m8192", "Sq4K".
    bool joined_value(std::size_t begin, const std::string& token) {
        const std::size_t digits = token.find_first_of("0123456789");
        if (digits == std::string::npos || is_label(token) || is_format(token)) {
            return false;
        }
        const std::string key = token.substr(0, digits);
        const std::optional<Number> count = number_at(begin + digits);
        if (key == "x" && count && count->plain) {  // "x4 reads"
            const std::size_t back = std::exchange(at_, count->end);
            if (unit_behind(count->value, true)) {
                return true;
            }
            at_ = back;
        }
        return take_value(key, begin + digits);
    }

    // "hidden 7168".
    bool loose_value(const std::string& token, std::size_t end) {
        const std::size_t value = past_blanks(text_, end);
        return value > end && token.size() > 1 && !is_label(token) && digit_at(text_, value) &&
               take_value(token, value);
    }

    bool take_value(const std::string& key, std::size_t begin) {
        const std::optional<Number> number = number_at(begin);
        const bool chain = number && number->end + 2 < text_.size() && is_by(text_[number->end]) &&
                           letter_at(text_, number->end + 1) && !is_by(text_[number->end + 1]);
        if (!number || !number->whole || (letter_at(text_, number->end) && !chain) ||
            (number->end < text_.size() && (text_[number->end] == '*' || text_[number->end] == '.'))) {
            return false;
        }
        name(key, number->value);
        if (!number->plain) {
            result_.assumed = fmt::format("{} is taken as {}", key, number->value);
        }
        at_ = number->end + (chain ? 1 : 0);                                        // "M128xN256xK64"
        if (at_ < text_.size() && text_[at_] == '+' && digit_at(text_, at_ + 1)) {  // "D512+64"
            const std::optional<Number> more = number_at(at_ + 1);
            if (more && more->plain && !letter_at(text_, more->end)) {
                name(key + "+", more->value);
                at_ = more->end;
            }
        }
        return true;
    }

    /// "8x16x4" or "8,16,4" (any of the separators given) as extents; nothing if it is something else.
    static std::optional<Extents> extents_of(std::string_view text, std::string_view separators) {
        Extents result;
        while (true) {
            const std::size_t end = std::min(text.find_first_of(separators), text.size());
            const std::string part = without_blanks(text.substr(0, end));
            std::uint64_t value = 0;
            const auto [last, error] = std::from_chars(part.data(), part.data() + part.size(), value);
            if (part.empty() || error != std::errc{} || last != part.data() + part.size()) {
                return std::nullopt;
            }
            result.push_back(value);
            if (end == text.size()) {
                return result;
            }
            text.remove_prefix(end + 1);
        }
    }

    std::string text_;
    ShapeText& result_;
    std::size_t at_ = 0;
    std::vector<TensorShape> tensors_;
    bool bracketed_ = false;
    bool comma_ = false;
    bool about_ = false;  // "~" stands before the number
};

/// A tensor as Python shows it, "(64,1280)", with square brackets.
std::string with_square_brackets(std::string text) {
    static const Pattern tuple{R"((^|;) *\((\d+(, *\d+)+)\) *($|;|->))"};
    while (const std::optional<PatternMatch> match = tuple.search(text)) {
        const auto begin = static_cast<std::size_t>((*match)[2].data() - text.data());
        text[begin + (*match)[2].size()] = ']';
        text[begin - 1] = '[';
    }
    return text;
}

/// The text without remarks in brackets; those that may say more are kept as not understood.
std::string without_remarks(std::string_view text, ShapeText& result) {
    std::string plain;
    std::string remark;
    int depth = 0;
    for (const char letter : text) {
        depth += letter == '(' ? 1 : 0;
        if (depth == 0) {
            plain += letter;
        } else if (letter != '(' && letter != ')') {
            remark += letter;
        }
        if (letter == ')' && depth > 0 && --depth == 0) {
            if (!is_harmless_remark(lower(without_blanks(remark)))) {
                result.unread.push_back("(" + remark + ")");
            }
            remark.clear();
        }
    }
    if (depth > 0) {
        result.unread.push_back("(" + remark);
    }
    return plain;
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
    if (found == named.end()) {
        return std::nullopt;
    }
    asked.insert(found->first);
    return found->second;
}

std::optional<std::uint64_t> ShapeText::elements() const {
    if (!arguments.empty() && !arguments.front().empty() && arguments.front().front().given) {
        return arguments.front().front().elements();
    }
    return get("elem");
}

std::string ShapeText::not_understood() const {
    if (!unread.empty()) {
        return fmt::format("'{}' in its shape is not understood", unread.front());
    }
    for (const auto& [name, value] : named) {
        if (!asked.contains(name)) {
            return fmt::format("'{}' ({}) in its shape is nothing that the kernel takes", name, value);
        }
    }
    return {};
}

ShapeText parse_shape(std::string_view text) {
    ShapeText result;
    const std::string usual = replaced(replaced(std::string{text}, "\u00d7", "x"), "\u2248", "~");
    std::string plain = without_remarks(with_square_brackets(usual), result);
    if (const std::size_t arrow = plain.find("->"); arrow != std::string::npos) {
        ShapeText behind = parse_shape(plain.substr(arrow + 2));
        for (const std::vector<TensorShape>& argument : behind.arguments) {
            for (const TensorShape& tensor : argument) {
                result.outputs.push_back(tensor.extents);
            }
        }
        std::ranges::move(behind.unread, std::back_inserter(result.unread));
        for (const auto& [name, value] : behind.named) {
            result.named.emplace("->" + name, value);
        }
        plain.erase(arrow);
    }
    for (const std::string& argument : parted(plain, ';')) {
        ArgumentReader{argument, result}.read();
    }
    if (!result.arguments.empty() && result.named.contains("elem")) {
        result.unread.emplace_back("a number of elements beside a tensor");
    }
    return result;
}

}  // namespace ascendsim::validation
