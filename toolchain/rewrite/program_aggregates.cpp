// SPDX-License-Identifier: Apache-2.0
// Classes that are aggregates in C++17 and not in C++20.
#include <algorithm>
#include <cctype>
#include <optional>

#include "toolchain/rewrite/program_text.hpp"

namespace ascendsim::toolchain {
namespace {

class Aggregates {
public:
    explicit Aggregates(std::string_view text) : tokens_{tokens_of(text)} {}

    /// Calls f(first, last) with the tokens of each line to be blanked.
    template <class F>
    void for_each(const F& f) {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (at(i) == "{") {
                open_.push_back(i);
            } else if (at(i) == "}" && !open_.empty()) {
                open_.pop_back();
            } else if (!open_.empty() && is_defaulted(i) && class_at(open_.back()) == at(i) &&
                       constructors(open_.back(), at(i)) == 1) {
                f(tokens_[declaration_start(i)], tokens_[i + 5]);
            }
        }
    }

private:
    [[nodiscard]] std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].text : std::string_view{};
    }

    /// `Name ( ) = default ;` as a declaration of its own.
    [[nodiscard]] bool is_defaulted(std::size_t i) const {
        const std::size_t start = declaration_start(i);
        const std::string_view before = start == 0 ? std::string_view{} : at(start - 1);
        return at(i + 4) == "default" && at(i + 1) == "(" && at(i + 2) == ")" && at(i + 3) == "=" &&
               at(i + 5) == ";" && (before == ";" || before == "{" || before == "}" || before == ":");
    }

    /// The first token of the declaration whose name stands at `i`: in front of it may be a device macro or
    /// what that becomes, `inline __attribute__((always_inline))`. `explicit` is none of it: such a class
    /// never was an aggregate.
    [[nodiscard]] std::size_t declaration_start(std::size_t i) const {
        while (i > 0) {
            const std::string_view before = at(i - 1);
            if (is_word(before) && before != "explicit") {
                --i;
            } else if (const auto attribute = attribute_before(i)) {
                i = *attribute;
            } else {
                break;
            }
        }
        return i;
    }

    static bool is_word(std::string_view token) {
        return !token.empty() && (std::isalpha(static_cast<unsigned char>(token[0])) != 0 || token[0] == '_');
    }

    /// Where `__attribute__((...))` begins that ends in front of `i`.
    [[nodiscard]] std::optional<std::size_t> attribute_before(std::size_t i) const {
        int depth = 0;
        for (std::size_t k = i; k-- > 0;) {
            depth += at(k) == ")" ? 1 : at(k) == "(" ? -1 : 0;
            if (depth == 0) {
                const bool found = k > 0 && k + 1 < i && at(k - 1) == "__attribute__";
                return found ? std::optional{k - 1} : std::nullopt;
            }
        }
        return std::nullopt;
    }

    /// The name of the class whose body opens at `open`; empty if it is something else.
    [[nodiscard]] std::string_view class_at(std::size_t open) const {
        for (std::size_t i = open; i-- > 0 && open - i < 64;) {
            const std::string_view word = at(i);
            if (word == ";" || word == "{" || word == "}" || word == ")") {
                break;
            }
            if (word == "struct" || word == "class") {
                return at(i + 1);
            }
        }
        return {};
    }

    /// How many constructors the class declares: its name before a bracket, outside of inner braces.
    [[nodiscard]] std::size_t constructors(std::size_t open, std::string_view name) const {
        std::size_t count = 0;
        int depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            depth += at(i) == "{" ? 1 : at(i) == "}" ? -1 : 0;
            if (depth == 0) {
                break;
            }
            const std::string_view before = at(i - 1);
            const bool starts = before == ";" || before == "{" || before == "}" || before == ":" ||
                                before == ">" || before == ")" ||
                                (!before.empty() && std::isalpha(static_cast<unsigned char>(before[0])) != 0);
            count +=
                depth == 1 && at(i) == name && at(i + 1) == "(" && starts && before != "return" ? 1U : 0U;
        }
        return count;
    }

    std::vector<SourceToken> tokens_;
    std::vector<std::size_t> open_;
};

}  // namespace

std::string restore_aggregates(std::string text) {
    std::vector<std::pair<std::size_t, std::size_t>> regions;
    Aggregates{text}.for_each(
        [&](const SourceToken& from, const SourceToken& to) { regions.emplace_back(from.at, to.at + 1); });
    for (const auto& [begin, end] : regions) {
        std::replace_if(
            text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char letter) { return letter != '\n'; },
            ' ');
    }
    return text;
}

}  // namespace ascendsim::toolchain
