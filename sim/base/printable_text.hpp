// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ascendsim {

/// A name of a file of others as messages show it: bytes that are no UTF-8 and control characters are
/// written "\x07", all else stays.
[[nodiscard]] std::string printable(std::string_view name);

/// The same for a text of several lines, whose line ends stay.
[[nodiscard]] std::string printable_lines(std::string_view text);

}  // namespace ascendsim
