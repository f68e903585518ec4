// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/build/compile.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::toolchain {

/// The host side of an operator of a library, as a plug-in: its definition, shape inference and tiling, and
/// the sources of the library that these share with others (those beside the headers they include). Loading
/// it registers what it defines. Throws UserError with the compiler's message.
[[nodiscard]] std::filesystem::path build_operator(const LibraryOperator& one,
                                                   const std::string& chip,
                                                   const Toolchain& with);

}  // namespace ascendsim::toolchain
