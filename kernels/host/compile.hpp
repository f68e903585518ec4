// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/host/installation.hpp"

namespace ascendsim::host {

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
    Pass pass = Pass::aiv;
    std::string arch = "2201";         // __NPU_ARCH__
    std::vector<std::string> entries;  // kernel functions to export; none in the host pass
    std::vector<std::string> flags;    // of the user: include folders, definitions
};

/// What to compile with.
struct Toolchain {
    std::string compiler = "clang++";
    std::vector<std::string> launcher;  // ccache, while building
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

/// The source that pulls a kernel file in and exports `entries`.
[[nodiscard]] std::string wrapper_source(const Compilation& what);

/// The files a depfile names, its target left out.
[[nodiscard]] std::vector<std::filesystem::path> dependencies(std::string_view depfile);

}  // namespace ascendsim::host
