// SPDX-License-Identifier: Apache-2.0
#include "toolchain/scan/core_scan.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "toolchain/rewrite/program_text.hpp"
#include "toolchain/scan/source_text.hpp"

namespace ascendsim::toolchain {
namespace {

/// The kinds of work that words name.
class Work {
public:
    void add(std::string_view word) {
        constexpr std::array<std::string_view, 5> cube{
            "Mmad", "LoadData", "LoadDataWithTranspose", "Fixpipe", "CO1"};
        constexpr std::array<std::string_view, 3> vector{"VECIN", "VECOUT", "VECCALC"};
        constexpr std::array<std::string_view, 2> object{"REGIST_MATMUL_OBJ", "MatmulImpl"};
        cube_ = cube_ || std::ranges::find(cube, word) != cube.end();
        vector_ = vector_ || std::ranges::find(vector, word) != vector.end();
        object_ = object_ || std::ranges::find(object, word) != object.end();
    }

    [[nodiscard]] std::optional<CoreUse> cores() const {
        if (object_ || (cube_ && vector_)) {
            return CoreUse::mix_1_2;
        }
        return cube_ ? std::optional{CoreUse::aic} : std::nullopt;
    }

private:
    bool cube_ = false;
    bool vector_ = false;
    bool object_ = false;
};

bool is_identifier(std::string_view word) {
    return !word.empty() && (std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_');
}

/// What a text defines: for each name, the words of its definitions.
class NamedParts {
public:
    explicit NamedParts(const std::string& text) : tokens_{tokens_of(text)} {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const std::string_view word = at(i);
            if (word == "class" || word == "struct") {
                class_at(i + 1);
            } else if (word == "using" && at(i + 2) == "=") {
                known_[at(i + 1)].emplace_back(i + 3, next(i, ";"));
            } else if (is_identifier(word) && at(i + 1) == "(") {
                function_at(i);
            }
        }
        macros(text);
    }

    [[nodiscard]] bool has(std::string_view name) const { return known_.contains(name); }

    /// Calls f(word) for every word that `name`'s definitions come to.
    template <class F>
    void reach(std::string_view name, const F& f) const {
        std::vector<std::string_view> open{name};
        std::set<std::string_view> seen{name};
        const auto visit = [&](std::string_view word) {
            f(word);
            if (known_.contains(word) && seen.insert(word).second) {
                open.push_back(word);
            }
        };
        while (!open.empty()) {
            const auto& places = known_.at(open.back());
            const auto lines = macros_.find(open.back());
            open.pop_back();
            for (const auto& [begin, end] : places) {
                for (std::size_t i = begin; i < end && i < tokens_.size(); ++i) {
                    visit(at(i));
                }
            }
            if (lines != macros_.end()) {
                each_word(lines->second, [&](std::string_view word, std::size_t /*behind*/) { visit(word); });
            }
        }
    }

private:
    using Part = std::pair<std::size_t, std::size_t>;  // tokens

    [[nodiscard]] std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].text : std::string_view{};
    }

    [[nodiscard]] std::size_t next(std::size_t from, std::string_view word) const {
        while (from < tokens_.size() && at(from) != word) {
            ++from;
        }
        return from;
    }

    /// Behind the bracket that closes the one at `open`.
    [[nodiscard]] std::size_t behind(std::size_t open, std::string_view left, std::string_view right) const {
        int depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            depth += at(i) == left ? 1 : at(i) == right ? -1 : 0;
            if (depth == 0) {
                return i + 1;
            }
        }
        return tokens_.size();
    }

    /// `Name {`, `Name : Base {`; neither a declaration nor a parameter of a template.
    void class_at(std::size_t name) {
        std::size_t i = name + 1;
        while (i < tokens_.size() && at(i) != "{" && at(i) != ";" && at(i) != ")" && at(i) != "=" &&
               at(i) != "," && at(i) != ">") {
            i = at(i) == "<" ? behind(i, "<", ">") : i + 1;
        }
        if (at(i) == "{") {
            known_[at(name)].emplace_back(name + 1, behind(i, "{", "}"));
        }
    }

    /// `name(...) {`, with what may stand between: qualifiers, a list of initialisers.
    void function_at(std::size_t name) {
        std::size_t i = behind(name + 1, "(", ")");
        const std::size_t from = i;
        while (at(i) == "const" || at(i) == "noexcept" || at(i) == "override" || at(i) == "final") {
            ++i;
        }
        if (at(i) == ":") {
            for (++i; is_identifier(at(i)) && (at(i + 1) == "(" || at(i + 1) == "{"); ++i) {
                const bool round = at(i + 1) == "(";
                i = behind(i + 1, round ? "(" : "{", round ? ")" : "}");
                if (at(i) != ",") {
                    break;
                }
            }
        }
        if (at(i) == "{") {
            known_[at(name)].emplace_back(from, behind(i, "{", "}"));
        }
    }

    /// `#define NAME …` over all of its lines.
    void macros(const std::string& text) {
        for (std::size_t at = text.find("#define"); at != std::string::npos; at = text.find("#define", at)) {
            std::size_t end = at;
            do {
                end = text.find('\n', end + 1);
            } while (end != std::string::npos && text[end - 1] == '\\');
            std::string line = text.substr(at + 7, end == std::string::npos ? end : end - at - 7);
            std::size_t begin = line.find_first_not_of(" \t");
            begin = begin == std::string::npos ? 0 : begin;
            std::size_t behind = begin;
            while (behind < line.size() &&
                   (std::isalnum(static_cast<unsigned char>(line[behind])) != 0 || line[behind] == '_')) {
                ++behind;
            }
            const auto [macro, fresh] =
                macros_.emplace(line.substr(begin, behind - begin), line.substr(behind));
            if (fresh) {
                known_[macro->first];
            }
            at += 7;
        }
    }

    std::vector<SourceToken> tokens_;
    std::map<std::string_view, std::vector<Part>> known_;
    std::map<std::string, std::string, std::less<>> macros_;
};

}  // namespace

std::optional<CoreUse> cores_by_calls(std::string_view text) {
    Work work;
    each_word(without_dead_code(without_comments(text)),
              [&](std::string_view word, std::size_t /*behind*/) { work.add(word); });
    return work.cores();
}

std::optional<CoreUse> cores_by_calls(std::string_view text, std::string_view entry) {
    const std::string plain = without_dead_code(without_comments(text));
    const NamedParts definitions{plain};
    const std::string_view name = entry.substr(0, entry.find('<'));
    if (!definitions.has(name)) {
        return cores_by_calls(text);
    }
    Work work;
    definitions.reach(name, [&](std::string_view word) { work.add(word); });
    return work.cores();
}

}  // namespace ascendsim::toolchain
