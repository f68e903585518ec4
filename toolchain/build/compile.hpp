// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::toolchain {

/// One compilation of a kernel source. A core's kind is a compile-time constant in Ascend C, so each needs
/// its own.
enum class Pass : std::uint8_t {
    host,     // the host side of an in-tree kernel
    aiv,      // vector cores of a split chip
    aic,      // cube cores of a split chip
    coupled,  // whole cores of a chip whose cube and vector units share a core
};
[[nodiscard]] std::string_view name(Pass pass);

/// What to compile.
struct Compilation {
    std::filesystem::path source;
    std::vector<std::filesystem::path> more_sources{};  // taken behind it into the same unit
    Pass pass = Pass::aiv;
    std::string arch = "2201";         // __NPU_ARCH__
    std::vector<std::string> entries;  // kernel functions to export; none in the host pass
    std::vector<std::string> flags;    // of the user: include folders, definitions
    /// Parses the headers apart if no earlier compilation did: longer now, shorter from then on. For sources
    /// that people edit.
    bool parse_headers_ahead = true;
    bool warn = false;  // keep what the compiler warns of in the user's files (warnings_of() the plug-in)
    bool cube_host = false;  // the host's pass reads what is for cube cores, where the others do not
};

/// What to compile with.
struct Toolchain {
    std::string compiler = "clang++";
    Installation installation;
};

/// Compiles to the plug-in `output` and writes what it depends on to `depfile` in make's syntax. Throws
/// UserError with the compiler's message if the source is wrong.
void compile(const Compilation& what,
             const Toolchain& with,
             const std::filesystem::path& output,
             const std::filesystem::path& depfile);

/// The plug-in of a source, compiled unless one of the same content, headers and flags is in the cache.
[[nodiscard]] std::filesystem::path compile_cached(const Compilation& what, const Toolchain& with);

/// The same for a source that comes with the simulator: nothing is added to what `what` says.
[[nodiscard]] std::filesystem::path compile_shipped(const Compilation& what, const Toolchain& with);

/// Compiles a source as `compile_cached` does, but makes no code and keeps nothing: what it takes to know
/// whether it compiles, templates of `entries` among it. Without entries the file is read alone. Throws
/// UserError with the compiler's message.
void check_syntax(const Compilation& what, const Toolchain& with);

/// The source that pulls a kernel file in and exports `entries`.
[[nodiscard]] std::string wrapper_source(const Compilation& what);

/// For what users write: addr2line of binutils 2.40 takes the first file of DWARF 5's table for the wrapper,
/// and names that where a kernel crashed.
inline constexpr const char* crash_line_flag = "-gdwarf-4";

/// Everything of the compiler's command line but the files.
[[nodiscard]] std::vector<std::string> compile_flags(const Compilation& what, const Toolchain& with);

/// The digest of `request` and everything a compilation read but files of `folder`, which are part of the
/// request; empty if a file has gone.
[[nodiscard]] std::string content_key(std::string_view request,
                                      std::string_view depfile,
                                      const std::filesystem::path& folder);

/// The plug-in that an earlier compilation of `request` left in `folder` of the cache, if all that it read is
/// as it was; empty if there is none, or if it is damaged.
[[nodiscard]] std::filesystem::path known_plugin(const std::string& request,
                                                 const std::filesystem::path& folder);

/// The files a depfile names, its target left out.
[[nodiscard]] std::vector<std::filesystem::path> dependencies(std::string_view depfile);

}  // namespace ascendsim::toolchain
