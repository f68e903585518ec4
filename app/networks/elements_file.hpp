// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "networks/run/numbers.hpp"

namespace ascendsim::report {

/// Writes tensors with their elements, as doubles, for another process of the same program. Throws UserError
/// if the disk has no room.
void write_elements(const std::filesystem::path& file, const networks::Elements& elements);

/// What write_elements() wrote. Throws UserError for a file that it did not write.
[[nodiscard]] networks::Elements read_elements(const std::filesystem::path& file);

}  // namespace ascendsim::report
