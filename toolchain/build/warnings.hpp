// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

/// A command of clang's that says "-w", with the warnings instead that tell of mistakes in kernels: values
/// that do not fit, names without a value, comparisons that are always true. What the dialect itself causes,
/// and what is a matter of taste, stays silent.
[[nodiscard]] std::vector<std::string> with_warnings(std::vector<std::string> command);

/// Of what a compiler said, the warnings in files of the user's: those of the project that `source` lies in,
/// but not the simulator's own. Each is "FILE:LINE:COLUMN: what is wrong", and behind a tab the line of
/// source.
[[nodiscard]] std::vector<std::string> warnings_in(std::string_view output,
                                                   const std::filesystem::path& source,
                                                   const Installation& installation);

/// Keeps warnings beside the compiled file that they are of.
void keep_warnings(const std::vector<std::string>& warnings, const std::filesystem::path& compiled);

/// The warnings kept beside a compiled file; none if it has none. Those of files below the current folder
/// name them from there.
[[nodiscard]] std::vector<std::string> warnings_of(const std::filesystem::path& compiled);

/// Notes that a compiled file of the cache is used, and after it its warnings: they may not be dropped before
/// it, as nobody would make them again.
void mark_used_with_warnings(const std::filesystem::path& compiled);

/// Adds those of `more` that are not there yet: passes of a source repeat each other's.
void add_warnings(std::vector<std::string>& all, const std::vector<std::string>& more);

}  // namespace ascendsim::toolchain
