// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ascendsim::process {

/// What a file holds, to the byte; empty if it cannot be read.
[[nodiscard]] std::string text_of(const std::filesystem::path& file);

/// The same of a file that has to be there. Throws UserError, which names it, if it cannot be read.
[[nodiscard]] std::string read_text(const std::filesystem::path& file);

}  // namespace ascendsim::process
