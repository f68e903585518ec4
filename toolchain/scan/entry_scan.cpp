// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/entry_scan.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

#include "toolchain/scan/kernel_macros.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

struct Token {
    std::string_view text;
    std::uint32_t line = 0;
};

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Cuts a source into words and single characters, without comments, literals and preprocessor lines.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_{text} {}

    std::vector<Token> tokens() {
        std::vector<Token> result;
        while (at_ < text_.size()) {
            const std::size_t before = at_;
            skip();
            if (at_ == before) {
                result.push_back(take());
            }
        }
        return result;
    }

private:
    void skip() {
        const std::string_view rest = text_.substr(at_);
        if (rest.front() == '\n') {
            line_start_ = true;
            advance(1);
        } else if (std::isspace(static_cast<unsigned char>(rest.front())) != 0) {
            advance(1);
        } else if (rest.starts_with("//") || (rest.front() == '#' && line_start_)) {
            skip_line();
        } else if (rest.starts_with("/*")) {
            advance(std::min(rest.find("*/", 2), rest.size() - 2) + 2);
        } else if (rest.front() == '"' || rest.front() == '\'') {
            skip_literal(rest);
        }
    }

    /// To the end of the line; a backslash before it continues it.
    void skip_line() {
        while (at_ < text_.size() && text_[at_] != '\n') {
            const bool escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
            advance(escaped ? 2U : 1U);
        }
    }

    void skip_literal(std::string_view rest) {
        std::size_t end = 1;
        while (end < rest.size() && rest[end] != rest.front() && rest[end] != '\n') {
            end += rest[end] == '\\' ? 2U : 1U;
        }
        advance(std::min(end + 1, rest.size()));
        line_start_ = false;
    }

    Token take() {
        std::size_t length = 1;
        while (is_word(text_[at_]) && at_ + length < text_.size() && is_word(text_[at_ + length])) {
            ++length;
        }
        const Token token{text_.substr(at_, length), line_};
        line_start_ = false;
        at_ += length;
        return token;
    }

    void advance(std::size_t count) {
        count = std::min(count, text_.size() - at_);
        line_ += static_cast<std::uint32_t>(std::ranges::count(text_.substr(at_, count), '\n'));
        at_ += count;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    bool line_start_ = true;
};

/// The index behind the bracket that closes the one at `open`.
std::size_t behind(const std::vector<Token>& tokens, std::size_t open, char left, char right) {
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        depth += tokens[i].text[0] == left ? 1 : tokens[i].text[0] == right ? -1 : 0;
        if (depth == 0) {
            return i + 1;
        }
    }
    return tokens.size();
}

std::string joined(const std::vector<Token>& tokens, std::size_t from, std::size_t to) {
    std::string result;
    for (std::size_t i = from; i < to; ++i) {
        if (!result.empty() && is_word(result.back()) && is_word(tokens[i].text[0])) {
            result += ' ';
        }
        result += tokens[i].text;
    }
    return result;
}

std::vector<std::string> split_parameters(const std::vector<Token>& tokens,
                                          std::size_t from,
                                          std::size_t to) {
    std::vector<std::string> result;
    int depth = 0;
    std::size_t start = from;
    for (std::size_t i = from; i < to; ++i) {
        const char letter = tokens[i].text[0];
        depth += letter == '(' || letter == '<' || letter == '{'   ? 1
                 : letter == ')' || letter == '>' || letter == '}' ? -1
                                                                   : 0;
        if (letter == ',' && depth == 0) {
            result.push_back(joined(tokens, start, i));
            start = i + 1;
        }
    }
    if (start < to) {
        result.push_back(joined(tokens, start, to));
    }
    return result;
}

class Finder {
public:
    explicit Finder(const std::vector<Token>& tokens) : tokens_{tokens} {}

    std::vector<ScannedEntry> entries() {
        std::size_t template_at = tokens_.size();  // the last `template` of this declaration
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const std::string_view text = tokens_[i].text;
            if (text == ";" || text == "}" || text == "{") {
                template_at = tokens_.size();
            } else if (text == "template") {
                template_at = i;
            } else if (text == "__global__") {
                i = declaration(i, template_at);
            } else if (text == "KERNEL_TASK_TYPE_DEFAULT" && i + 2 < tokens_.size() && !found_.empty()) {
                found_.back().cores = task_type_cores(tokens_[i + 2].text);
            }
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].text : std::string_view{};
    }

    /// Reads the declaration whose `__global__` is at `i`; returns where its parameter list ends.
    std::size_t declaration(std::size_t i, std::size_t template_at) {
        ScannedEntry entry;
        const bool instantiation = template_at < i && at(template_at + 1) != "<";
        entry.is_template = template_at < i && !instantiation;
        for (++i; i < tokens_.size() && at(i) != ";" && at(i) != "{"; ++i) {
            const std::string_view word = at(i);
            if (word.starts_with("__") && at(i + 1) == "(") {
                if (word == "__mix__") {
                    entry.cores =
                        at(behind(tokens_, i + 1, '(', ')') - 2) == "1" ? CoreUse::mix_1_1 : CoreUse::mix_1_2;
                }
                i = behind(tokens_, i + 1, '(', ')') - 1;
            } else if (word == "__vector__" || word == "__cube__") {
                entry.cores = word == "__cube__" ? CoreUse::aic : CoreUse::aiv;
            } else if (is_word(word[0]) && (at(i + 1) == "(" || (instantiation && at(i + 1) == "<"))) {
                return finish(std::move(entry), i);
            }
        }
        return i;
    }

    std::size_t finish(ScannedEntry entry, std::size_t name) {
        std::size_t open = name + 1;
        if (at(open) == "<") {
            open = behind(tokens_, open, '<', '>');
        }
        entry.name = joined(tokens_, name, open);
        entry.line = tokens_[name].line;
        const std::size_t end = behind(tokens_, open, '(', ')');
        if (end > open + 1) {
            entry.parameters = split_parameters(tokens_, open + 1, end - 1);
        }
        const auto same = std::ranges::find(found_, entry.name, &ScannedEntry::name);
        if (same == found_.end()) {  // a declaration before its definition counts once
            found_.push_back(std::move(entry));
        }
        return end - 1;
    }

    const std::vector<Token>& tokens_;
    std::vector<ScannedEntry> found_;
};

}  // namespace

std::optional<CoreUse> task_type_cores(std::string_view type) {
    if (type == "KERNEL_TYPE_AIV_ONLY" || type == "KERNEL_TYPE_MIX_AIV_1_0") {
        return CoreUse::aiv;
    }
    if (type == "KERNEL_TYPE_AIC_ONLY" || type == "KERNEL_TYPE_MIX_AIC_1_0") {
        return CoreUse::aic;
    }
    if (type == "KERNEL_TYPE_MIX_AIC_1_1") {
        return CoreUse::mix_1_1;
    }
    return type == "KERNEL_TYPE_MIX_AIC_1_2" ? std::optional{CoreUse::mix_1_2} : std::nullopt;
}

std::vector<ScannedEntry> scan_entries(std::string_view source) {
    const std::vector<Token> tokens = Scanner{source}.tokens();
    std::vector<ScannedEntry> entries = Finder{tokens}.entries();
    return entries.empty() ? made_entries(source) : entries;
}

std::vector<ScannedEntry> made_entries(std::string_view source) {
    std::vector<ScannedEntry> made;
    if (source.find("__global__") == std::string_view::npos) {
        return made;
    }
    for (const MadeCode& code : code_of_kernel_macros(source)) {
        const std::vector<Token> tokens = Scanner{code.text}.tokens();
        for (ScannedEntry& entry : Finder{tokens}.entries()) {
            entry.line = code.line;
            if (std::ranges::find(made, entry.name, &ScannedEntry::name) == made.end()) {
                made.push_back(std::move(entry));
            }
        }
    }
    return made;
}

std::vector<std::string> callable_entries(const std::filesystem::path& source) {
    std::vector<std::string> names;
    for (const ScannedEntry& entry : scan_entries(process::text_of(source))) {
        if (!entry.is_template) {
            names.push_back(entry.name);
        }
    }
    return names;
}

}  // namespace ascendsim::toolchain
