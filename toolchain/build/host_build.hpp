// SPDX-License-Identifier: Apache-2.0
// Sources of a library for the host, as a plug-in.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {

struct HostSources {
    std::vector<std::filesystem::path> sources;
    std::filesystem::path required;  // must compile; others are left out if they do not
    std::vector<std::string> flags;  // of all
    std::map<std::filesystem::path, std::vector<std::string>> more_flags;  // of one
    /// What every source is read behind: libraries count on headers that others bring along.
    std::vector<std::string> forced_headers;
    std::vector<std::string> link_flags{};
};

/// Compiles the sources one by one and links them. Throws UserError with the compiler's message.
[[nodiscard]] std::filesystem::path build_host(const HostSources& what, const Toolchain& with);

/// Folders with the simulator's headers for such sources: the host's stand in front of the kernels', as some
/// have a name in both.
[[nodiscard]] std::vector<std::filesystem::path> host_folders(const Installation& installation);

/// The source of a header: beside it, or in the folder that stands for its own where headers lie apart; empty
/// if it has none.
[[nodiscard]] std::filesystem::path source_of_header(const std::filesystem::path& header);

/// Flags of all such sources, without folders of a library's.
[[nodiscard]] std::vector<std::string> host_flags(const Installation& installation);

}  // namespace ascendsim::toolchain
