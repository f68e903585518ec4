// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/scan/source_closure.hpp"

namespace ascendsim::toolchain {

/// The macros that an operator's build gives its kernel for each input and output: DTYPE_X is the C++ type,
/// ORIG_DTYPE_X its number, FORMAT_X the layout's. They come from the first column of the operator's
/// definition (op_host/<operator>_def.cpp); a name it lacks is half. Empty if the kernel uses none.
[[nodiscard]] std::string type_macros(const std::filesystem::path& source, const SourceClosure& closure);

/// An input or an output of an operator.
struct DefinedTensor {
    std::string name;
    bool output = false;
    std::string type;  // of C++, of the definition's first column
};

/// What the operator's definition says of its tensors: inputs, then outputs, each in its order; empty if the
/// source has no definition beside it.
[[nodiscard]] std::vector<DefinedTensor> defined_tensors(const std::filesystem::path& source);

}  // namespace ascendsim::toolchain
