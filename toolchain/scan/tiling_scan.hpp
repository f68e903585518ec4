// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::toolchain {

/// The tiling structs that an operator's host side defines with the BEGIN_TILING_DATA_DEF family, as a header
/// for its kernel: the definitions found in the headers of the op_host folder beside the kernel, the
/// constants they use, and the name of the struct that GET_TILING_DATA copies. Empty if the kernel needs
/// none.
[[nodiscard]] std::string tiling_definitions(const std::filesystem::path& source, SourceClosure& closure);

}  // namespace ascendsim::toolchain
