// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ascendsim::toolchain {

/// What the CMakeLists.txt of a sample says about one of its sources.
struct CmakeNotes {
    std::vector<std::string> flags;  // -DNAME=VALUE and -IDIR of the target the source belongs to
    std::vector<std::filesystem::path>
        sources;                 // of a program: the others of its target and of kernel libraries beside
    std::filesystem::path file;  // the CMakeLists.txt; empty where none lists the source
    std::vector<std::string> options;  // of its target that name --cce-auto-sync, the last one counts
    bool kernel_launch =
        false;  // its target is an ascendc_library, or the project is one in the language ASC
};

/// Reads the nearest CMakeLists.txt, at most two folders above `source` and not above `root`, that lists the
/// source in a target. A small part of the language is understood: set, option, list(APPEND), file(GLOB), if
/// with names and comparisons, include and add_subdirectory of files that are there, and the commands that
/// name sources, include folders and definitions of targets, those of the Ascend C module among them. What
/// else there is is passed over. `given` are flags of the user: their -DNAME=VALUE set variables as on
/// CMake's command line, and no definition of such a name is returned. Empty where no CMakeLists.txt lists
/// the source.
[[nodiscard]] CmakeNotes cmake_notes(const std::filesystem::path& source,
                                     const std::filesystem::path& root,
                                     const std::vector<std::string>& given);

/// A sentence on what the CMakeLists.txt files above a source, up to its project's root, define and include
/// for all sources below them and `given`, flags it was compiled with, has not: options to try, as nothing
/// says that this source needs them. Empty where there is nothing more, else it begins with a new line.
[[nodiscard]] std::string cmake_hint(const std::filesystem::path& source,
                                     const std::filesystem::path& root,
                                     const std::vector<std::string>& given);

}  // namespace ascendsim::toolchain
