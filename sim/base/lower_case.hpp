// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace ascendsim {

/// The letter in lower case if it is one of A to Z, whatever the locale.
[[nodiscard]] constexpr char lower(char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The text in lower case.
[[nodiscard]] inline std::string lower(std::string_view text) {
    std::string result{text};
    std::ranges::transform(result, result.begin(), [](char letter) { return lower(letter); });
    return result;
}

/// True if the texts differ in the case of letters at most.
[[nodiscard]] inline bool same_letters(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, {}, [](char x) { return lower(x); }, [](char y) { return lower(y); });
}

}  // namespace ascendsim
