// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim {

/// Names of what lies in the folder of `file`, in order, without hidden ones. Empty if there are more than a
/// thousand, or the folder cannot be read.
[[nodiscard]] std::vector<std::string> names_beside(const std::filesystem::path& file);

/// The nearest of these to the name of a file that is not there, as nearest_hint() says it.
[[nodiscard]] std::string nearest_file_hint(const std::filesystem::path& file);

/// Why a file could not be read, as what follows its name in a message: "no such file, did you mean
/// 'b.toml'?", "no such file: there is no folder 'x'", "not a file", or "cannot be read".
[[nodiscard]] std::string why_unreadable(const std::filesystem::path& file);

/// The same of a folder that is not one, with the nearest of the folders beside it: "no such folder, did you
/// mean 'baselines'?", "no such folder: there is no folder 'x'", or "not a folder".
[[nodiscard]] std::string why_no_folder(const std::filesystem::path& folder);

}  // namespace ascendsim
