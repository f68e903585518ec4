// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/validation/number_text.hpp"
#include "sim/base/pattern.hpp"

namespace ascendsim::validation {

/// The number that group `group` of `pattern` finds in `text`; any case.
[[nodiscard]] inline std::optional<std::uint64_t> number_in(const std::string& text,
                                                            const char* pattern,
                                                            std::size_t group = 1) {
    const std::optional<PatternMatch> match = Pattern{pattern, Pattern::Case::any}.search(text);
    return match && match->matched(group) ? std::optional{number_of<std::uint64_t>((*match)[group])}
                                          : std::nullopt;
}

/// The extents that are listed behind what `pattern` finds in its first group, as in "1024,4,12288".
[[nodiscard]] inline std::vector<std::uint64_t> numbers_in(const std::string& text, const char* pattern) {
    std::vector<std::uint64_t> numbers;
    if (const std::optional<PatternMatch> match = Pattern{pattern}.search(text)) {
        for (const PatternMatch& number : Pattern{"\\d+"}.all((*match)[1])) {
            numbers.push_back(number_of<std::uint64_t>(number[0]));
        }
    }
    return numbers;
}

}  // namespace ascendsim::validation
