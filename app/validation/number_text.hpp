// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

namespace ascendsim::validation {

/// The number that a text of digits, perhaps with a sign, stands for; the largest there is if it is larger.
template <class Number>
[[nodiscard]] Number number_of(std::string_view digits) {
    Number value{};
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec == std::errc::result_out_of_range) {
        return digits.starts_with('-') ? std::numeric_limits<Number>::lowest()
                                       : std::numeric_limits<Number>::max();
    }
    return value;
}

}  // namespace ascendsim::validation
