// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace ascendsim {

/// Where a pattern was found. Texts are part of the one that was searched.
struct PatternMatch {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<std::string_view> groups;  // the whole match, then each group; null data: took no part

    [[nodiscard]] std::string_view operator[](std::size_t group) const { return groups[group]; }

    [[nodiscard]] bool matched(std::size_t group) const { return groups[group].data() != nullptr; }
};

/// A regular expression for text of users: in time that grows with the length of the text alone, and on a
/// stack that does not grow at all. std::regex calls itself for each letter and overflows it.
///
/// It knows what ECMAScript's do but look-ahead and back references: . [] [^] \d \w \s \b and their
/// opposites, ^ and $ at the ends of the text, () (?:), |, and * + ? {n} {n,} {n,m}, also with ? behind them.
/// As there, the leftmost match counts, and of several the one of the earliest alternative.
class Pattern {
public:
    enum class Case : std::uint8_t { exact, any };

    /// Throws UserError, which says what is wrong, for an expression that is none.
    explicit Pattern(std::string_view expression, Case letters = Case::exact);

    /// The first match that begins at `from` or later.
    [[nodiscard]] std::optional<PatternMatch> search(std::string_view text, std::size_t from = 0) const;

    /// True if it is somewhere in the text.
    [[nodiscard]] bool is_in(std::string_view text) const;

    /// All matches, which do not overlap, in their order.
    [[nodiscard]] std::vector<PatternMatch> all(std::string_view text) const;

    /// The match that takes in the whole text.
    [[nodiscard]] std::optional<PatternMatch> whole(std::string_view text) const;

private:
    friend class PatternCompiler;

    using Letters = std::bitset<256>;

    /// A step of the automaton. Those but `letter` take no letter.
    struct Step {
        enum class Kind : std::uint8_t {
            letter,
            split,
            jump,
            save,
            begin,
            end,
            word_edge,
            no_word_edge,
            done
        };
        Kind kind = Kind::done;
        std::uint32_t a = 0;  // a set's number, a slot, or the step that is preferred
        std::uint32_t b = 0;  // the other step
    };

    class Run;

    [[nodiscard]] std::optional<PatternMatch> find(std::string_view text, std::size_t from, bool all) const;

    std::vector<Step> steps_;
    std::vector<Letters> sets_;
    std::size_t groups_ = 1;
    Letters first_;  // letters that a match may begin with; all if it may be empty
};

}  // namespace ascendsim
