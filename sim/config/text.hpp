// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ascendsim {

/// `text` in quotes for a message: control characters escaped, shortened when long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// `path.key`, or `key` at the root; a key that is no bare word is quoted.
[[nodiscard]] std::string joined_path(std::string_view path, std::string_view key);

/// "unknown key, did you mean 'x'?", or with the known names when none is near.
[[nodiscard]] std::string unknown_name(std::string_view what,
                                       std::string_view name,
                                       const std::vector<std::string>& known);

}  // namespace ascendsim
