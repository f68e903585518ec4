// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

/// Headers that are read in front of a source, parsed once for each set of flags and kept in the cache: they
/// take four fifths of the time a small kernel compiles.
struct ForcedHeaders {
    std::vector<std::string> names;  // as behind -include, in order
    std::vector<std::string> flags;  // of the compilation, these headers left out
    bool make = true;                // false: they are used where they are there, and not made
};

/// The flags that bring `headers` in: `-include-pch FILE` where they could be precompiled, else `-include` of
/// each. Made (if `make`) where they are missing or a header has changed. Folders of the user's are left out
/// of its making: the headers are the simulator's own and read none of theirs.
[[nodiscard]] std::vector<std::string> header_flags(const ForcedHeaders& headers,
                                                    const std::string& compiler,
                                                    const Installation& installation);

/// True if `made` is there and none of the files that `depfile` names is younger or gone; without a depfile
/// nothing is known to have changed.
[[nodiscard]] bool is_current(const std::filesystem::path& made, const std::filesystem::path& depfile);

}  // namespace ascendsim::toolchain
