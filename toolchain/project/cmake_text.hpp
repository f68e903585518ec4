// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::toolchain {

/// A command of a CMake file; arguments as written, quotes taken off.
struct CmakeCommand {
    std::string name;  // in lower case
    std::vector<std::string> arguments;
};

/// Cuts a CMake file into its commands; comments are left out.
[[nodiscard]] std::vector<CmakeCommand> cmake_commands(std::string_view text);

}  // namespace ascendsim::toolchain
