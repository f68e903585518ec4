// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/source_text.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "sim/base/error.hpp"

namespace ascendsim::toolchain {
namespace {

bool is_word(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        text.remove_prefix(1);
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
        text.remove_suffix(1);
    }
    return std::string{text};
}

/// Reads the arguments behind an opening bracket; returns where the closing one ends.
std::size_t read_arguments(std::string_view text, std::size_t open, std::vector<std::string>& arguments) {
    int depth = 0;
    std::size_t start = open + 1;
    for (std::size_t at = open; at < text.size(); ++at) {
        const char letter = text[at];
        depth += letter == '(' || letter == '{' ? 1 : letter == ')' || letter == '}' ? -1 : 0;
        if (depth == 0 || (depth == 1 && letter == ',')) {
            arguments.push_back(trimmed(text.substr(start, at - start)));
            start = at + 1;
        }
        if (depth == 0) {
            return at + 1;
        }
    }
    return std::string::npos;
}

}  // namespace

std::string without_comments(std::string_view text) {
    std::string result{text};
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to && i < result.size(); ++i) {
            result[i] = result[i] == '\n' ? '\n' : ' ';
        }
        return to;
    };
    for (std::size_t at = 0; at + 1 < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        if (rest.front() == '"') {
            const std::size_t close = rest.find_first_of("\"\n", 1);
            at = close == std::string_view::npos ? text.size() : at + close;
        } else if (rest.starts_with("//")) {
            at = blank(at, std::min(text.find('\n', at), text.size()));
        } else if (rest.starts_with("/*")) {
            const std::size_t close = text.find("*/", at + 2);
            at = blank(at, close == std::string_view::npos ? text.size() : close + 2) - 1;
        }
    }
    return result;
}

namespace {

/// True of one term of a condition, without blanks and brackets: 0, or a generation of cores that no chip
/// here has.
bool never_true(std::string_view term) {
    static constexpr std::array<std::string_view, 4> ours{
        "0", "1001", "2002", "2201"};  // arch in models/chips
    if (term == "0" || term == "__CCE_AICORE__==310") {
        return true;
    }
    constexpr std::string_view arch = "__NPU_ARCH__==";
    if (term.starts_with(arch)) {
        const std::string_view value = term.substr(arch.size());
        const bool number = std::ranges::all_of(value, [](unsigned char c) { return std::isdigit(c) != 0; });
        return number && std::ranges::find(ours, value) == ours.end();
    }
    return term.starts_with("defined__DAV_C310") || term.starts_with("defined__DAV_310R6");
}

/// True of a directive's words, `if …` or `ifdef …`, if no chip here fulfils them: of terms that all have to
/// hold, one never does.
bool never_holds(std::string_view words) {
    const bool other_form =
        words.find("||") != std::string_view::npos || words.find("!(") != std::string_view::npos ||
        words.find("! (") != std::string_view::npos || words.find_first_of("?\\|^") != std::string_view::npos;
    if (other_form || words.starts_with("ifndef")) {
        return false;
    }
    const bool defined = words.starts_with("ifdef");
    std::string term{defined ? "defined" : ""};
    for (std::size_t i = defined ? 5 : 2; i <= words.size(); ++i) {
        const char letter = i < words.size() ? words[i] : '&';
        if (letter == '&') {
            if (never_true(term)) {
                return true;
            }
            term.clear();
        } else if (letter != ' ' && letter != '(' && letter != ')') {
            term += letter;
        }
    }
    return false;
}

}  // namespace

std::string without_dead_code(std::string_view text) {
    std::string result;
    int depth = 0;  // of conditions inside a dead part; 0: the text counts
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = text.substr(at, end - at);
        std::string words;  // of a directive, one blank between them
        if (const std::size_t first = line.find_first_not_of(" \t");
            first != std::string_view::npos && line[first] == '#') {
            for (const char letter : line.substr(first + 1)) {
                const bool space = letter == ' ' || letter == '\t' || letter == '\r';
                if (!space || (!words.empty() && words.back() != ' ')) {
                    words += space ? ' ' : letter;
                }
            }
        }
        const bool opens = words.starts_with("if");
        const bool dead = depth > 0;
        if (dead && opens) {
            ++depth;
        } else if (dead && (words.starts_with("endif") || (depth == 1 && words.starts_with("el")))) {
            --depth;
        } else if (!dead && opens && never_holds(words)) {
            depth = 1;
        }
        result += dead && depth > 0 ? std::string(line.size(), ' ') : std::string{line};
        result += end < text.size() ? "\n" : "";
        at = end + 1;
    }
    return result;
}

std::vector<std::string> included_names(std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
        const std::size_t word = text.find_first_not_of(" \t", at + 1);
        if (word == std::string_view::npos || !text.substr(word).starts_with("include")) {
            continue;
        }
        const std::size_t open = text.find_first_not_of(" \t", word + 7);
        if (open == std::string_view::npos || (text[open] != '"' && text[open] != '<')) {
            continue;
        }
        const std::size_t close = text.find_first_of("\">\n", open + 1);
        if (close != std::string_view::npos && text[close] != '\n') {
            names.emplace_back(text.substr(open + 1, close - open - 1));
        }
    }
    return names;
}

void each_word(std::string_view text, const std::function<void(std::string_view, std::size_t)>& each) {
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_word(text[end])) {
            ++end;
        }
        each(text.substr(at, end - at), end);
        at = end;
    }
}

bool is_given_a_value(std::string_view text, std::size_t behind) {
    const std::size_t at = text.find_first_not_of(" \t", behind);
    return at != std::string_view::npos && text[at] == '=' && at + 1 < text.size() && text[at + 1] != '=';
}

Call find_call(std::string_view text, std::string_view name, std::size_t from) {
    for (std::size_t at = text.find(name, from); at != std::string_view::npos; at = text.find(name, at + 1)) {
        std::size_t open = at + name.size();
        while (open < text.size() && std::isspace(static_cast<unsigned char>(text[open])) != 0) {
            ++open;
        }
        if ((at > 0 && is_word(text[at - 1])) || open == text.size() || text[open] != '(') {
            continue;
        }
        Call call{.arguments = {}, .begin = at};
        call.end = read_arguments(text, open, call.arguments);
        if (call.end != std::string::npos) {
            return call;
        }
    }
    return {};
}

std::string camel_case(std::string_view name) {
    std::string result;
    bool start = true;
    for (const char letter : name) {
        if (letter != '_') {
            result += static_cast<char>(start ? std::toupper(static_cast<unsigned char>(letter)) : letter);
        }
        start = letter == '_';
    }
    return result;
}

namespace {

/// The variable that a statement of assembly gives its result to: `x` of asm("MOV %0, PC" : "+l"(x)); empty
/// if it has another form.
std::string result_of(std::string_view statement) {
    const std::size_t open = statement.find('(', statement.find(':'));
    std::size_t close = open;
    int depth = 0;
    for (; close < statement.size(); ++close) {
        depth += statement[close] == '(' ? 1 : statement[close] == ')' ? -1 : 0;
        if (depth == 0) {
            break;
        }
    }
    // Behind it may be words about what else changes, but no further operand.
    const bool one = close < statement.size() && statement.find('(', close) == std::string_view::npos;
    return one ? std::string{statement.substr(open + 1, close - open - 1)} : std::string{};
}

/// Statements of the chip's assembly that begin with `instruction` in words of C++: their variable gets
/// `value`, those without a variable of that kind stay; without a value they go, and it stays as it is.
std::string without_assembly(std::string text, std::string_view instruction, std::string_view value) {
    for (std::size_t at = text.find(instruction); at != std::string::npos;
         at = text.find(instruction, at + 1)) {
        std::size_t from = text.rfind("asm", at);
        const std::size_t end = text.find(';', at);
        while (from != std::string::npos && from > 0 && text[from - 1] == '_') {
            --from;  // __asm__
        }
        if (from == std::string::npos || end == std::string::npos || text.find_first_of(";{}", from) < at) {
            continue;
        }
        const std::string result =
            value.empty() ? std::string{} : result_of(std::string_view{text}.substr(from, end - from));
        if (!value.empty() && result.empty()) {
            continue;
        }
        const std::string words = value.empty() ? std::string{} : result + " = " + std::string{value};
        std::replace_if(
            text.begin() + static_cast<std::ptrdiff_t>(from),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char one) { return one != '\n'; },
            ' ');
        const bool fits = text.find('\n', from) >= from + words.size() && words.size() <= end - from;
        text.replace(from, fits ? words.size() : 0, words);
        at = from;
    }
    return text;
}

}  // namespace

std::string without_attribute(std::string text) {
    constexpr std::string_view end = "aicore]";
    for (std::size_t at = text.find(end); at != std::string::npos; at = text.find(end, at + end.size())) {
        const std::size_t open = text.rfind('[', at);
        const std::string_view between =
            open == std::string::npos ? "?" : std::string_view{text}.substr(open + 1, at - open - 1);
        if (between.find_first_not_of("host, ") == std::string_view::npos) {
            text.replace(open, at + end.size() - open, at + end.size() - open, ' ');
        }
    }
    text = without_assembly(std::move(text), "\"MOV %0, PC", {});
    return without_assembly(std::move(text), "\"MOV %0, SYS_CNT", "::get_sys_cnt()");
}

std::string include_line(const std::string& file) {
    const bool ends = std::ranges::any_of(file, [](char letter) {
        return letter == '"' || std::iscntrl(static_cast<unsigned char>(letter)) != 0;
    });
    if (ends) {
        throw UserError{
            "{}: a source whose path holds a quotation mark or a control character cannot be included", file};
    }
    return "#include \"" + file + "\"\n";
}

std::string head_sentence(std::string_view text) {
    constexpr std::string_view mark = "// ";
    constexpr std::string_view licence = "// SPDX-";
    std::string sentence;
    while (text.starts_with(mark)) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (line.starts_with(licence)) {
            continue;
        }
        sentence += (sentence.empty() ? "" : " ") + std::string{line.substr(mark.size())};
        if (const std::size_t end = sentence.find(". "); end != std::string::npos) {
            return sentence.substr(0, end);
        }
    }
    if (sentence.ends_with('.')) {
        sentence.pop_back();
    }
    return sentence;
}

}  // namespace ascendsim::toolchain
