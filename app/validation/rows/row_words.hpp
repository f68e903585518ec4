// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <regex>
#include <string>

namespace ascendsim::validation {

/// The number that group `group` of `pattern` finds in `text`; any case.
[[nodiscard]] inline std::optional<std::uint64_t> number_in(const std::string& text,
                                                            const char* pattern,
                                                            std::size_t group = 1) {
    std::smatch match;
    if (!std::regex_search(text, match, std::regex{pattern, std::regex::icase}) || !match[group].matched) {
        return std::nullopt;
    }
    return std::stoull(match[group].str());
}

}  // namespace ascendsim::validation
