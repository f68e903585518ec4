// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace ascendsim::record {

/// Copies a recording without the place of its project: nothing in the copy depends on where it was made.
/// Throws UserError if `from` is damaged, or if `to` cannot be written; `to` is then as it was before.
void copy_without_place(const std::filesystem::path& from, const std::filesystem::path& to);

/// Copies a recording for others: without the texts of sources, the macros and other words of the command
/// line, and the folders of files. Figures, lines' numbers and names of files stay. Throws as
/// copy_without_place().
void copy_stripped(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace ascendsim::record
