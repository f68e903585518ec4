// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace ascendsim::cli {

/// The recording a word means: a file, or the last complete run of that name. Throws UserError if there is
/// neither.
[[nodiscard]] std::filesystem::path find_recording(const std::string& name);

}  // namespace ascendsim::cli
