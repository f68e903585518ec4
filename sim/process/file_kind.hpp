// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace ascendsim::process {

/// Whether a path that comes from a text leads to a file. One that no file can have, as it is too long or
/// leads through files, leads to none; std::filesystem's own question throws there.
[[nodiscard]] inline bool leads_to_file(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// The same of a folder.
[[nodiscard]] inline bool leads_to_folder(const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::is_directory(path, error);
}

}  // namespace ascendsim::process
