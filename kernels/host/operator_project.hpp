// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/host/installation.hpp"

namespace ascendsim::host {

/// Compiler flags that let a source compile where it lies in its project: include folders found by name, the
/// operator's tiling structs and type macros in a header made in `folder`, and, for files that use the
/// compiler's own spelling [aicore], copies without it that stand for them under their own names. Empty for a
/// source that needs nothing of that.
[[nodiscard]] std::vector<std::string> project_flags(const std::filesystem::path& source,
                                                     const Installation& installation,
                                                     const std::filesystem::path& folder);

/// The first tiling key that the source asks for with TILING_KEY_IS, for kernels started without a host program that
/// tells one; empty if it asks for none.
[[nodiscard]] std::string first_tiling_key(std::string_view source);

}  // namespace ascendsim::host
