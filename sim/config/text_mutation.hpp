// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace ascendsim {

/// Damages a text the way people, editors and attackers do, reproducibly from its seed. For fuzz tests.
class TextMutation {
public:
    explicit TextMutation(std::uint64_t seed) : random_{seed} {}

    /// `text` after one to eight random edits.
    [[nodiscard]] std::string operator()(std::string text) {
        for (std::size_t edits = 1 + below(8); edits > 0; --edits) {
            edit(text);
        }
        return text;
    }

    /// A random number below `bound`.
    [[nodiscard]] std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }

private:
    // What parsers of TOML and of numbers have stumbled over.
    static constexpr std::array<std::string_view, 32> words{"-1",
                                                            "0",
                                                            "nan",
                                                            "inf",
                                                            "-0.0",
                                                            "1e999",
                                                            "9223372036854775807",
                                                            "9223372036854775808",
                                                            "0x",
                                                            "true",
                                                            "\"",
                                                            "\"\"\"",
                                                            "'",
                                                            "'''",
                                                            "[",
                                                            "]",
                                                            "[[",
                                                            "]]",
                                                            "{",
                                                            "}",
                                                            "=",
                                                            ".",
                                                            ",",
                                                            "\n",
                                                            "\r\n",
                                                            "#",
                                                            "\\u0000",
                                                            "\\uD800",
                                                            "\xff\xfe",
                                                            "1979-05-27T07:32:00Z",
                                                            "a.b.c.d",
                                                            "\xef\xbb\xbf"};

    void edit(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = below(1 + std::min<std::size_t>(20, text.size() - at));
        switch (below(6)) {
            case 0:
                text.insert(at, 1, static_cast<char>(below(256)));
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, words[below(words.size())]);
                break;
            case 3:
                text.insert(below(text.size() + 1), text.substr(at, length));
                break;
            case 4:
                text.resize(at);
                break;
            default:
                if (at < text.size()) {
                    text[at] = static_cast<char>(below(256));
                }
        }
    }

    std::mt19937_64 random_;
};

}  // namespace ascendsim
