// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "toolchain/build/compile.hpp"

namespace ascendsim::toolchain {

/// True for the option of the vendor's compiler that names the cores to compile for:
/// --cce-aicore-arch=dav-c220, which is all of them, dav-c220-vec or dav-c220-cube.
[[nodiscard]] constexpr bool is_core_option(std::string_view flag) {
    return flag.starts_with("--cce-aicore-arch=");
}

/// The files of a host program and how to compile them.
struct ProgramSources {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> flags;             // include folders, definitions, standard; is_core_option()
    std::vector<std::filesystem::path> forced;  // headers in front of every file, in order
    std::vector<std::string> link;              // of the user: libraries
    std::string arch = "2201";
    bool coupled = false;
    bool alone = false;  // as they are: a CMakeLists.txt around them adds nothing
};

/// A program compiled for the host and for each kind of core, ready to be loaded.
struct BuiltProgram {
    std::filesystem::path host;
    /// For vector cores; for whole cores of a coupled chip. Empty for a program of cube cores alone.
    std::filesystem::path vector;
    std::filesystem::path cube;           // empty on a coupled chip, and for a program of vector cores alone
    std::size_t launches = 0;             // places in the text that were rewritten
    std::size_t compiled = 0;             // passes that were not in the cache
    std::vector<std::string> warnings{};  // about the user's files, each once (toolchain/build/warnings.hpp)
    /// The objects of the host's pass, by their source: for libraries that other programs load.
    std::vector<std::pair<std::filesystem::path, std::filesystem::path>> host_objects{};
};

/// Preprocesses every file for every pass, rewrites its launches, compiles and links; what was built before
/// from the same content comes out of the cache. Throws UserError with the compiler's message, which names
/// the user's file and line.
[[nodiscard]] BuiltProgram build_program(const ProgramSources& sources, const Toolchain& with);

/// Compiles the same passes without making code or linking. Throws UserError with the compiler's message.
void check_program_syntax(const ProgramSources& sources, const Toolchain& with);

}  // namespace ascendsim::toolchain
