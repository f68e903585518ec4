// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/pattern.hpp"

namespace ascendsim {

/// Translates the text of a regular expression into the steps of a Pattern.
class PatternCompiler {
public:
    PatternCompiler(Pattern& pattern, std::string_view expression, bool any_case);

    /// Throws UserError for an expression that is none.
    void compile();

private:
    using Letters = Pattern::Letters;
    using Kind = Pattern::Step::Kind;

    /// A step that names others by how far they are away, so that steps can be copied and put together.
    struct Near {
        Kind kind;
        std::int32_t a = 0;
        std::int32_t b = 0;
    };

    using Steps = std::vector<Near>;

    [[nodiscard]] Steps alternatives();
    [[nodiscard]] Steps sequence();
    [[nodiscard]] Steps one();
    [[nodiscard]] Steps group();
    [[nodiscard]] Steps escaped();
    [[nodiscard]] Steps letters(Letters letters);
    [[nodiscard]] Steps repeated(const Steps& steps);
    [[nodiscard]] bool counts(std::uint32_t& least, std::uint32_t& most);
    [[nodiscard]] std::uint32_t number();
    [[nodiscard]] Letters bracketed();
    /// The letters of \d, \w or \s, or of their opposites; none for another letter.
    [[nodiscard]] static Letters of_class(char letter);
    /// What an escaped letter stands for, as in \n and \. .
    [[nodiscard]] char meaning_of(char letter) const;

    void append(Steps& to, const Steps& more) const;
    void find_first_letters();

    [[nodiscard]] bool ended() const { return at_ == text_.size(); }

    [[nodiscard]] bool at(std::string_view next) const { return text_.substr(at_).starts_with(next); }

    [[nodiscard]] bool take(std::string_view next);
    [[noreturn]] void fail(const std::string& why) const;

    Pattern& pattern_;
    std::string_view text_;
    bool any_case_;
    std::size_t at_ = 0;
    std::uint32_t depth_ = 0;
};

}  // namespace ascendsim
