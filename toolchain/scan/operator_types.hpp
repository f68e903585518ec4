// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::toolchain {

/// The macros that an operator's build gives its kernel for each input and output: DTYPE_X is the C++ type,
/// ORIG_DTYPE_X its number, FORMAT_X the layout's. They come from the first column of the operator's
/// definition (op_host/<operator>_def.cpp); a name it lacks is half. Empty if the kernel uses none.
[[nodiscard]] std::string type_macros(const std::filesystem::path& source, const SourceClosure& closure);

}  // namespace ascendsim::toolchain
