// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace ascendsim::process {

/// A text as a POSIX shell takes it for one word, in quotes where it has to be.
[[nodiscard]] std::string shell_word(std::string_view text);

}  // namespace ascendsim::process
