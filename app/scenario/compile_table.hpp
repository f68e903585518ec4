// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/session/run_request.hpp"
#include "sim/config/table_reader.hpp"
#include "toolchain/project/sync_option.hpp"

namespace ascendsim::scenario {

/// How to compile what a scenario brings along: its [compile], and behind it what the command line added.
struct CompileChoice {
    std::vector<std::string> flags;                  // include folders and definitions among them
    std::vector<std::filesystem::path> headers;      // included in front of every file
    std::vector<std::filesystem::path> sources;      // besides the first
    std::vector<std::string> link;                   // of a host program
    std::vector<std::string> arguments;              // of a host program, from the command line
    bool alone = false;                              // nothing of a CMakeLists.txt is added
    std::vector<std::filesystem::path> libraries{};  // with the operators of a host program's aclnn calls
};

/// Reads [compile] include, define, flags, headers, sources, link, auto_sync; and [command], which the
/// command line sets. Paths in the file are relative to it.
[[nodiscard]] CompileChoice read_compile(TableReader& root);

/// Whether synchronisation is inserted into `source`: what the command line says, else [compile] auto_sync or
/// an option in its flags, else the project around the source, which is compiled for `arch`. Nothing for a
/// source of the simulator's own scenarios, below `shipped`, unless it is told.
[[nodiscard]] std::optional<toolchain::SyncOption> read_sync_option(TableReader root_table,
                                                                    const std::filesystem::path& source,
                                                                    std::string_view arch,
                                                                    const std::filesystem::path& shipped);

/// Reads [program] arguments, cores. `source` is the first file.
[[nodiscard]] runtime::HostProgram read_host_program(TableReader& root, const std::filesystem::path& source);

/// Reads one of aiv, aic, mix_1_1, mix_1_2.
[[nodiscard]] CoreUse read_core_use(const Node& node);

/// True for file names that sources of kernels and host programs have.
[[nodiscard]] bool is_source_name(const std::filesystem::path& file);

/// True if the file looks like a host program or unit test rather than a kernel alone.
[[nodiscard]] bool is_program_file(const std::filesystem::path& file);

}  // namespace ascendsim::scenario
