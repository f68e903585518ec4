// SPDX-License-Identifier: Apache-2.0
#include "toolchain/rewrite/program_text.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>

#include "sim/base/pattern.hpp"

namespace ascendsim::toolchain {
namespace {

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Where the string or character literal at `at` ends.
std::size_t literal_end(std::string_view text, std::size_t at) {
    const char quote = text[at];
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != quote && text[end] != '\n') {
        end += text[end] == '\\' ? 2U : 1U;
    }
    return std::min(end + 1, text.size());
}

/// Where the raw string whose opening quote is at `at` ends.
std::size_t raw_end(std::string_view text, std::size_t at) {
    const std::size_t open = text.find('(', at);
    if (open == std::string_view::npos) {
        return text.size();
    }
    const std::string close = fmt::format("){}\"", text.substr(at + 1, open - at - 1));
    const std::size_t found = text.find(close, open);
    return found == std::string_view::npos ? text.size() : found + close.size();
}

std::size_t word_end(std::string_view text, std::size_t at) {
    const bool number = std::isdigit(static_cast<unsigned char>(text[at])) != 0;
    std::size_t end = at;
    while (end < text.size() && (is_word(text[end]) || (number && (text[end] == '.' || text[end] == '\'')))) {
        ++end;
    }
    return end;
}

}  // namespace

std::vector<SourceToken> tokens_of(std::string_view text) {
    std::vector<SourceToken> tokens;
    bool line_start = true;
    for (std::size_t at = 0; at < text.size();) {
        const char letter = text[at];
        if (letter == '\n') {
            line_start = true;
            ++at;
        } else if (std::isspace(static_cast<unsigned char>(letter)) != 0) {
            ++at;
        } else if (letter == '#' && line_start) {
            at = std::min(text.find('\n', at), text.size());
        } else {
            std::size_t end = at + 1;
            if (letter == '"' || letter == '\'') {
                const bool raw = letter == '"' && !tokens.empty() && tokens.back().text.ends_with('R') &&
                                 tokens.back().at + tokens.back().text.size() == at;
                end = raw ? raw_end(text, at) : literal_end(text, at);
            } else if (is_word(letter)) {
                end = word_end(text, at);
            } else if (letter == ':' && text.substr(at, 2) == "::") {
                end = at + 2;
            }
            tokens.push_back({text.substr(at, end - at), at});
            at = end;
            line_start = false;
        }
    }
    return tokens;
}

namespace {

class Rewriter {
public:
    explicit Rewriter(std::string_view text) : text_{text}, tokens_{tokens_of(text)} {
        for (const ProgramKernel& kernel : find_program_kernels(text)) {
            kernels_.insert(kernel.name);
        }
    }

    RewrittenText run() {
        RewrittenText result;
        std::size_t copied = 0;
        for (std::size_t i = 1; i + 2 < tokens_.size(); ++i) {
            if (!three(i, '<')) {
                continue;
            }
            const std::optional<std::size_t> close = closing(i + 3);
            const std::optional<std::size_t> name = kernel_start(i);
            if (!close || !name) {
                continue;
            }
            const std::size_t begin = tokens_[*name].at;
            const std::string_view kernel = text_.substr(begin, tokens_[i].at - begin);
            const std::size_t after = tokens_[i].at + 3;
            result.text += text_.substr(copied, begin - copied);
            const bool held = *name + 1 == i && is_variable(tokens_[*name].text);
            result.text += fmt::format(
                "::ascendsim::program::launch{}(\"{}\", ::ascendsim::Site::here(), [&](auto... "
                "ascendsim_arguments) {{ {}(ascendsim_arguments...); }}, {}{})",
                held ? "_held" : "",
                one_line(kernel),
                kernel,
                held ? fmt::format("::ascendsim::program::kernel_in_variable({}), ", kernel) : "",
                text_.substr(after, tokens_[*close].at - after));
            copied = tokens_[*close].at + 3;
            ++result.launches;
            i = *close + 2;
        }
        result.text += text_.substr(copied);
        return result;
    }

    /// The bodies of functions that launch, emptied, and each launch outside of them (in a macro) replaced by
    /// an expression that does nothing; lines keep their numbers.
    std::string without() {
        std::string result;
        std::size_t copied = 0;
        std::vector<std::size_t> open;  // braces
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (is(i, '{')) {
                open.push_back(i);
            } else if (is(i, '}') && !open.empty()) {
                open.pop_back();
            }
            const std::optional<std::size_t> close = i > 0 && three(i, '<') ? closing(i + 3) : std::nullopt;
            const std::optional<std::size_t> name = close ? kernel_start(i) : std::nullopt;
            const std::optional<std::size_t> end = name ? bracket_end(*close + 3, '(', ')') : std::nullopt;
            if (!end) {
                continue;
            }
            const std::optional<std::size_t> body = function_body(open);
            const std::optional<std::size_t> body_end = body ? bracket_end(*body, '{', '}') : std::nullopt;
            if (body_end) {
                const std::size_t begin = tokens_[*body].at + 1;
                result += text_.substr(copied, begin - copied);
                copied = tokens_[*body_end].at;
                keep_lines(begin, copied, result);
                i = *body_end - 1;
                while (open.back() != *body) {
                    open.pop_back();
                }
                continue;
            }
            const std::size_t begin = tokens_[*name].at;
            result += text_.substr(copied, begin - copied);
            result += "((void)0)";
            copied = tokens_[*end].at + 1;
            keep_lines(begin, copied, result);
            i = *end;
        }
        result += text_.substr(copied);
        return result;
    }

private:
    /// True for a name that is none of this text's kernels: it holds one of them.
    [[nodiscard]] bool is_variable(std::string_view name) const {
        return !kernels_.empty() && !kernels_.contains(std::string{name});
    }

    enum class Brace { scope, body, other };

    /// Of the braces that are open, the one that begins the body of a function that may be emptied: others in
    /// front of it belong to namespaces and classes. None if the first that belongs to neither is no such
    /// body.
    [[nodiscard]] std::optional<std::size_t> function_body(const std::vector<std::size_t>& open) const {
        for (const std::size_t brace : open) {
            const Brace kind = kind_of(brace);
            if (kind != Brace::scope) {
                return kind == Brace::body ? std::optional{brace} : std::nullopt;
            }
        }
        return std::nullopt;
    }

    /// A body that its function's type is deduced from must stay, as must that of a lambda; one behind `if`
    /// and the like is part of a function whose head was not understood.
    [[nodiscard]] Brace kind_of(std::size_t brace) const {
        static const std::set<std::string_view> behind{
            "const", "volatile", "noexcept", "override", "final", "mutable", "try", "&"};
        static const std::set<std::string_view> with_brackets{"noexcept", "requires", "throw"};
        static const std::set<std::string_view> other{
            "if", "for", "while", "switch", "catch", "constexpr", "]"};
        const std::optional<std::size_t> arrow = arrow_before(brace);
        for (std::size_t k = arrow.value_or(brace); k-- > 0;) {
            if (behind.contains(tokens_[k].text)) {
                continue;
            }
            const std::optional<std::size_t> left = is(k, ')') ? opening(k, '(', ')') : std::nullopt;
            if (!left || *left == 0 || tokens_[*left - 1].text == "alignas") {
                return Brace::scope;
            }
            if (!with_brackets.contains(tokens_[*left - 1].text)) {
                const bool stays = other.contains(tokens_[*left - 1].text) || (!arrow && is_deduced(*left));
                return stays ? Brace::other : Brace::body;
            }
            k = *left - 1;
        }
        return Brace::scope;
    }

    /// The `->` of the trailing type that ends in front of `brace`.
    [[nodiscard]] std::optional<std::size_t> arrow_before(std::size_t brace) const {
        for (std::size_t k = brace; k-- > 1;) {
            if (is(k, '>') && is(k - 1, '-')) {
                return k - 1;
            }
            if (is(k, ')')) {
                k = opening(k, '(', ')').value_or(0);
            }
            if (is(k, ';') || is(k, '{') || is(k, '}') || is(k, '=')) {
                break;
            }
        }
        return std::nullopt;
    }

    /// Whether the type in front of the parameters that open at `left` holds `auto`.
    [[nodiscard]] bool is_deduced(std::size_t left) const {
        for (std::size_t k = left; k-- > 0;) {
            if (is(k, ';') || is(k, '{') || is(k, '}')) {
                return false;
            }
            if (is(k, '>')) {
                k = opening(k, '<', '>').value_or(k);  // template <auto n>
            } else if (tokens_[k].text == "auto") {
                return true;
            }
        }
        return false;
    }

    /// Adds the line breaks of a part that is left out.
    void keep_lines(std::size_t begin, std::size_t end, std::string& result) const {
        for (std::size_t at = begin; at < end; ++at) {
            if (text_[at] == '\n') {
                result += text_[at - 1] == '\\' ? "\\\n" : "\n";
            }
        }
    }

    /// The bracket that closes the one at `i`.
    [[nodiscard]] std::optional<std::size_t> bracket_end(std::size_t i, char left, char right) const {
        int depth = 0;
        for (; i < tokens_.size(); ++i) {
            depth += is(i, left) ? 1 : is(i, right) ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is(std::size_t i, char letter) const {
        return i < tokens_.size() && tokens_[i].text.size() == 1 && tokens_[i].text[0] == letter;
    }

    /// Three adjacent `letter`s, and not a fourth.
    [[nodiscard]] bool three(std::size_t i, char letter) const {
        return is(i, letter) && is(i + 1, letter) && is(i + 2, letter) &&
               tokens_[i + 2].at == tokens_[i].at + 2;
    }

    /// The `>>>` that is in no bracket of its own and has arguments behind it.
    [[nodiscard]] std::optional<std::size_t> closing(std::size_t i) const {
        int depth = 0;
        for (; i + 3 < tokens_.size(); ++i) {
            const char letter = tokens_[i].text[0];
            if (depth == 0 && three(i, '>')) {
                return is(i + 3, '(') ? std::optional{i} : std::nullopt;
            }
            depth += letter == '(' || letter == '[' || letter == '{'   ? 1
                     : letter == ')' || letter == ']' || letter == '}' ? -1
                                                                       : 0;
            if (depth < 0 || letter == ';') {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

    /// The token that opens the bracket closed at `i`.
    [[nodiscard]] std::optional<std::size_t> opening(std::size_t i, char left, char right) const {
        int depth = 0;
        for (std::size_t k = i + 1; k-- > 0;) {
            if (left == '<' && (is(k, ')') || is(k, ']'))) {
                const std::optional<std::size_t> open =
                    is(k, ')') ? opening(k, '(', ')') : opening(k, '[', ']');
                if (!open) {
                    return std::nullopt;
                }
                k = *open;
                continue;
            }
            depth += is(k, right) ? 1 : is(k, left) ? -1 : 0;
            if (depth == 0) {
                return k;
            }
            if (left == '<' && (is(k, ';') || is(k, '{'))) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

    /// The first token of the kernel's name in front of the `<<<` at `i`.
    [[nodiscard]] std::optional<std::size_t> kernel_start(std::size_t i) const {
        std::size_t at = i - 1;
        if (is(at, ')')) {
            return opening(at, '(', ')');
        }
        for (;;) {
            if (is(at, '>')) {
                const std::optional<std::size_t> open = opening(at, '<', '>');
                if (!open || *open == 0) {
                    return std::nullopt;
                }
                at = *open - 1;
            }
            const char first = tokens_[at].text[0];
            if (!is_word(first) || std::isdigit(static_cast<unsigned char>(first)) != 0) {
                return std::nullopt;
            }
            if (at > 0 && tokens_[at - 1].text == "template") {
                --at;
            }
            if (at == 0 || tokens_[at - 1].text != "::") {
                return at;
            }
            const bool global = at < 2 || (!is_word(tokens_[at - 2].text[0]) && !is(at - 2, '>'));
            if (global || tokens_[at - 2].text == "return") {
                return at - 1;
            }
            at -= 2;
        }
    }

    static std::string one_line(std::string_view text) {
        std::string result;
        for (const char letter : text) {
            const bool space = std::isspace(static_cast<unsigned char>(letter)) != 0;
            if (letter == '"' || letter == '\\') {
                result += '\\';
            }
            if (!space || (!result.empty() && result.back() != ' ')) {
                result += space ? ' ' : letter;
            }
        }
        return result;
    }

    std::string_view text_;
    std::vector<SourceToken> tokens_;
    std::set<std::string> kernels_;
};

}  // namespace

namespace {

/// "#define LAUNCH(f) f<<<1, nullptr, stream>>>(x)", blanks in front of either word.
bool is_macro_that_launches(std::string_view line) {
    static const Pattern define{R"(^[ \t]*#[ \t]*define\b)"};
    return line.find("<<<") != std::string_view::npos && define.is_in(line);
}

}  // namespace

RewrittenText rewrite_launches(std::string_view text) {
    if (text.find("<<<") == std::string_view::npos) {
        return {.text = std::string{text}, .launches = 0};
    }
    return Rewriter{text}.run();
}

std::string without_launches(std::string_view text) {
    // Tokens are not made of lines that start with '#'; macros that launch are let through under another
    // sign.
    constexpr char sign = '\x01';
    std::string shown{text};
    for (std::size_t line = 0; line < shown.size();
         line = std::min(shown.find('\n', line), shown.size()) + 1) {
        const std::string_view whole = std::string_view{shown}.substr(line, shown.find('\n', line) - line);
        if (is_macro_that_launches(whole)) {
            shown[line + whole.find('#')] = sign;
        }
    }
    std::string result = Rewriter{shown}.without();
    std::ranges::replace(result, sign, '#');
    return result;
}

std::vector<std::string> kernels_launched_by_name(std::string_view source) {
    static const Pattern launch{R"(ACLRT_LAUNCH_KERNEL\s*\(\s*(\w+)\s*\)|\baclrtlaunch_(\w+))"};
    std::vector<std::string> names;
    for (const PatternMatch& match : launch.all(source)) {
        std::string name{match[match.matched(1) ? 1 : 2]};
        if (std::ranges::find(names, name) == names.end()) {
            names.push_back(std::move(name));
        }
    }
    return names;
}

bool looks_like_program(std::string_view source) {
    static const Pattern starts{R"((^|\n)[^\n/]*\bmain\s*\(|(^|\n)\s*TEST(_F|_P)?\s*\()"};
    const bool may =
        source.find("main") != std::string_view::npos || source.find("TEST") != std::string_view::npos;
    return may && starts.is_in(source);
}

}  // namespace ascendsim::toolchain
