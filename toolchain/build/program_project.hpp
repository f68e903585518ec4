// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "toolchain/build/program_build.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

/// The files of a program with what their projects add.
struct ProgramProject {
    std::vector<std::filesystem::path> files;  // absolute: those named, then a unit test's kernel and helpers
    std::vector<std::string> flags;            // of all files: include folders, definitions, copies
    std::map<std::filesystem::path, std::vector<std::filesystem::path>>
        headers;                            // in front of one file, in order
    std::vector<std::string> helper_flags;  // of a library's test helpers: the same for all of its tests
    std::vector<std::filesystem::path> helpers;
    bool vector_only =
        false;               // a unit test that says AIV_MODE wherever it says a mode; an option that says so
    bool cube_only = false;  // an option that says so
    bool unit_test = false;  // some file has ICPU_RUN_KF

    /// Flags of one file behind the user's.
    [[nodiscard]] const std::vector<std::string>& flags_of(const std::filesystem::path& file) const {
        return std::ranges::find(helpers, file) == helpers.end() ? flags : helper_flags;
    }

    [[nodiscard]] std::vector<std::filesystem::path> headers_of(const std::filesystem::path& file) const {
        const auto found = headers.find(file);
        return found == headers.end() ? std::vector<std::filesystem::path>{} : found->second;
    }
};

/// Looks the files' projects up. Headers with tiling structs and types are made for unit tests of operators
/// alone, and only where the user names no header: other programs have their own. Files made go below
/// `folder`. Throws UserError for a source that is not there.
[[nodiscard]] ProgramProject program_project(const ProgramSources& sources,
                                             const Installation& installation,
                                             const std::filesystem::path& folder);

}  // namespace ascendsim::toolchain
