// SPDX-License-Identifier: Apache-2.0
// Specialisations for the chip's memories that are the template itself on the host.
#include <algorithm>
#include <map>

#include "toolchain/rewrite/program_text.hpp"

namespace ascendsim::toolchain {
namespace {

/// Finds `template <typename T> struct X<T> { … };` behind `template <typename T> struct X { … };`.
class RepeatedTemplates {
public:
    explicit RepeatedTemplates(std::string_view text) : tokens_{tokens_of(text)} {}

    /// Calls f(first, last) with the tokens that a repetition begins and ends with.
    template <class F>
    void for_each(const F& f) {
        std::map<std::string_view, std::size_t> primaries;  // where their bodies open
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (at(i) != "template" || at(i + 1) != "<") {
                continue;
            }
            const std::size_t close = parameters_end(i + 1);
            if (at(close + 1) != "struct" && at(close + 1) != "class") {
                continue;
            }
            const std::size_t name = close + 2;
            if (at(name + 1) == "{") {
                primaries.insert_or_assign(at(name), name + 1);  // the nearest before it is the one repeated
                continue;
            }
            const std::size_t open = repeated_arguments(i + 2, close, name + 1);
            const auto primary = primaries.find(at(name));
            if (open != 0 && primary != primaries.end() && same_body(primary->second, open)) {
                f(tokens_[i], tokens_[body_end(open) + 1]);
            }
        }
    }

private:
    [[nodiscard]] std::string_view at(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].text : std::string_view{};
    }

    /// Where the list of parameters ends that opens at `open`; lists within it are none of interest.
    [[nodiscard]] std::size_t parameters_end(std::size_t open) const {
        std::size_t i = open + 1;
        while (i < tokens_.size() && at(i) != ">" && at(i) != "<") {
            ++i;
        }
        return i;
    }

    /// Where the body opens behind `< names of the parameters, in order >`; 0 if something else stands there.
    [[nodiscard]] std::size_t repeated_arguments(std::size_t first,
                                                 std::size_t close,
                                                 std::size_t arguments) const {
        if (at(arguments) != "<") {
            return 0;
        }
        std::size_t k = arguments + 1;
        for (std::size_t i = first; i < close; ++i) {
            if (at(i + 1) != "," && i + 1 != close) {
                continue;  // not the last word of a parameter, which is its name
            }
            if (at(k) != at(i) || at(k + 1) != (i + 1 == close ? ">" : ",")) {
                return 0;
            }
            k += 2;
            ++i;
        }
        return at(k) == "{" ? k : 0;
    }

    [[nodiscard]] std::size_t body_end(std::size_t open) const {
        int depth = 0;
        for (std::size_t i = open; i < tokens_.size(); ++i) {
            depth += at(i) == "{" ? 1 : at(i) == "}" ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return tokens_.size();
    }

    [[nodiscard]] bool same_body(std::size_t one, std::size_t other) const {
        const std::size_t length = body_end(one) - one;
        if (body_end(other) - other != length || at(other + length + 1) != ";") {
            return false;
        }
        for (std::size_t i = 0; i < length; ++i) {
            if (at(one + i) != at(other + i)) {
                return false;
            }
        }
        return true;
    }

    std::vector<SourceToken> tokens_;
};

}  // namespace

std::string without_repeated_templates(std::string text) {
    std::vector<std::pair<std::size_t, std::size_t>> repeats;
    RepeatedTemplates{text}.for_each([&](const SourceToken& first, const SourceToken& last) {
        repeats.emplace_back(first.at, last.at + 1);
    });
    for (const auto& [begin, end] : repeats) {
        std::replace_if(
            text.begin() + static_cast<std::ptrdiff_t>(begin),
            text.begin() + static_cast<std::ptrdiff_t>(end),
            [](char letter) { return letter != '\n'; },
            ' ');
    }
    return text;
}

}  // namespace ascendsim::toolchain
