// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

/// How a source belongs to its project, where that is more than its place.
struct ProjectPlace {
    std::filesystem::path kernel;                 // whose tiling structs and types it shares; empty: its own
    std::vector<std::filesystem::path> provided;  // further include folders, not looked into
    bool with_tiling = true;                      // the tiling structs come from nowhere else
    bool with_launches = false;  // of a host program, where `kernel<<<…>>>(…)` starts one
};

/// Where headers come from that need no search: those of this project.
[[nodiscard]] std::vector<std::filesystem::path> provided_folders(const Installation& installation);

/// Compiler flags that let a source compile where it lies in its project: include folders found by name, the
/// operator's tiling structs and type macros in a header made in `folder`, and, for files that use the
/// compiler's own spelling [aicore], copies without it that stand for them under their own names. Empty for a
/// source that needs nothing of that.
[[nodiscard]] std::vector<std::string> project_flags(const std::filesystem::path& source,
                                                     const Installation& installation,
                                                     const std::filesystem::path& folder,
                                                     const ProjectPlace& place = {});

/// The first tiling key that the source asks for with TILING_KEY_IS, for kernels started without a host
/// program that tells one; empty if it asks for none.
[[nodiscard]] std::string first_tiling_key(std::string_view source);

}  // namespace ascendsim::toolchain
