// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ascendsim::validation {

/// A number as people write it: digits, perhaps with a fraction, perhaps in thousands or millions.
struct WrittenNumber {
    std::uint64_t value = 0;
    std::size_t end = 0;  // of the text, behind the number
    bool plain = true;    // digits alone
    bool whole = true;    // it stands for a whole number
};

/// The number that begins at `begin`: "128", "4K", "99.9M", "1.5" (not whole). Of powers of two, K and M
/// count in powers of two (64K is 65536); of other numbers, fractions and what is only `about` right, in
/// thousands.
[[nodiscard]] std::optional<WrittenNumber> written_number(std::string_view text,
                                                          std::size_t begin,
                                                          bool about);

/// "1,048,576" if it begins at `begin` and stands before a word for elements: without one it may be a list.
[[nodiscard]] std::optional<WrittenNumber> grouped_number(std::string_view text, std::size_t begin);

}  // namespace ascendsim::validation
