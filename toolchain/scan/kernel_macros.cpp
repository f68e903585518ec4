// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/kernel_macros.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

struct Macro {
    std::vector<std::string> parameters;
    std::string body;
};

using Macros = std::map<std::string, Macro>;

bool is_of_a_name(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

std::string bare(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    return begin == std::string_view::npos ? std::string{} : std::string{text.substr(begin, end + 1 - begin)};
}

/// `NAME(a, b) body` behind #define; macros without brackets right behind the name are left out.
void note_macro(const std::string& definition, Macros& macros) {
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if_not(definition, is_of_a_name) - definition.begin());
    const std::size_t close = definition.find(')', end);
    if (end == 0 || end == definition.size() || definition[end] != '(' || close == std::string::npos) {
        return;
    }
    Macro macro{.parameters = {}, .body = definition.substr(close + 1)};
    for (std::size_t at = end + 1; at < close;) {
        const std::size_t comma = std::min(definition.find(',', at), close);
        macro.parameters.push_back(bare(std::string_view{definition}.substr(at, comma - at)));
        at = comma + 1;
    }
    macros[definition.substr(0, end)] = std::move(macro);
}

/// Takes the macros out of a text without comments; the lines of directives become empty.
Macros take_macros(std::string& code) {
    Macros macros;
    for (std::size_t at = 0; at < code.size();) {
        std::size_t end = std::min(code.find('\n', at), code.size());
        const std::size_t first = code.find_first_not_of(" \t", at);
        if (first < end && code[first] == '#') {
            while (end < code.size() && code[end - 1] == '\\') {
                end = std::min(code.find('\n', end + 1), code.size());
            }
            std::string line = code.substr(first + 1, end - first - 1);
            for (std::size_t i = 0; i + 1 < line.size(); ++i) {
                if (line[i] == '\\' && line[i + 1] == '\n') {
                    line.replace(i, 2, "  ");
                }
            }
            line = bare(line);
            constexpr std::string_view define = "define";
            if (line.starts_with(define)) {
                note_macro(bare(std::string_view{line}.substr(define.size())), macros);
            }
            std::replace_if(
                code.begin() + static_cast<std::ptrdiff_t>(at),
                code.begin() + static_cast<std::ptrdiff_t>(end),
                [](char letter) { return letter != '\n'; },
                ' ');
        }
        at = end + 1;
    }
    return macros;
}

/// The body with arguments in the place of parameters; `##` joins its neighbours, and a variable list gets
/// what is left.
std::string filled(const Macro& macro, const std::vector<std::string>& arguments) {
    const auto value = [&](const std::string& word) -> std::optional<std::string> {
        for (std::size_t i = 0; i < macro.parameters.size(); ++i) {
            if (macro.parameters[i] == word) {
                return i < arguments.size() ? bare(arguments[i]) : std::string{};
            }
            if (macro.parameters[i] == "..." && word == "__VA_ARGS__") {
                std::string rest;
                for (std::size_t k = i; k < arguments.size(); ++k) {
                    rest += (rest.empty() ? "" : ", ") + bare(arguments[k]);
                }
                return rest;
            }
        }
        return std::nullopt;
    };
    std::string result;
    for (std::size_t at = 0; at < macro.body.size();) {
        if (macro.body.compare(at, 2, "##") == 0) {
            result.erase(result.find_last_not_of(" \t") + 1);
            at = std::min(macro.body.find_first_not_of(" \t", at + 2), macro.body.size());
            continue;
        }
        std::size_t end = at;
        while (end < macro.body.size() && is_of_a_name(macro.body[end])) {
            ++end;
        }
        end = std::max(end, at + 1);
        const std::string word = macro.body.substr(at, end - at);
        result += value(word).value_or(word);
        at = end;
    }
    return result;
}

class Expansion {
public:
    explicit Expansion(const Macros& macros) : macros_{macros} {}

    /// What the macros used in a text stand for, as far as they make kernels or are told to use one that
    /// does.
    [[nodiscard]] std::vector<MadeCode> of(const std::string& code, int depth = 0) {
        std::vector<MadeCode> made;
        constexpr int deepest = 4;
        std::uint32_t line = 1;
        std::size_t counted = 0;
        for (std::size_t at = 0; at < code.size() && depth < deepest && letters_ < most_letters;) {
            if (!is_of_a_name(code[at])) {
                ++at;
                continue;
            }
            std::size_t end = at;
            while (end < code.size() && is_of_a_name(code[end])) {
                ++end;
            }
            const auto macro = macros_.find(code.substr(at, end - at));
            const std::size_t open = code.find_first_not_of(" \t\n", end);
            if (macro != macros_.end() && open != std::string::npos && code[open] == '(') {
                const Call call = find_call(code, macro->first, at);
                if (call.begin == at && call.end != std::string::npos && leads_on(macro->second, call)) {
                    line += static_cast<std::uint32_t>(
                        std::count(code.begin() + static_cast<std::ptrdiff_t>(counted),
                                   code.begin() + static_cast<std::ptrdiff_t>(at),
                                   '\n'));
                    counted = at;
                    const std::string text = filled(macro->second, call.arguments);
                    letters_ += text.size();
                    made.push_back({text, line});
                    for (const MadeCode& inner : of(text, depth + 1)) {
                        made.push_back({inner.text, line});
                    }
                    end = call.end;
                }
            }
            at = end;
        }
        return made;
    }

private:
    /// Each macro may use the next twice: a source of a few lines would come to more than any memory holds.
    static constexpr std::size_t most_letters = std::size_t{1} << 20U;

    static bool makes(const Macro& macro) { return macro.body.find("__global__") != std::string::npos; }

    [[nodiscard]] bool leads_on(const Macro& macro, const Call& call) const {
        return makes(macro) || std::ranges::any_of(call.arguments, [this](const std::string& argument) {
                   const auto named = macros_.find(bare(argument));
                   return named != macros_.end() && makes(named->second);
               });
    }

    const Macros& macros_;
    std::size_t letters_ = 0;  // of all that was filled in
};

}  // namespace

std::vector<MadeCode> code_of_kernel_macros(std::string_view source) {
    std::string code = without_comments(source);
    const Macros macros = take_macros(code);
    return Expansion{macros}.of(code);
}

}  // namespace ascendsim::toolchain
