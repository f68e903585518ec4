// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::toolchain {

/// An operator of a library: a folder with a definition (OP_ADD in op_host) and kernels (op_kernel).
struct LibraryOperator {
    std::string type;                  // as in OP_ADD: "RmsNorm"
    std::filesystem::path folder;      // holds op_host and op_kernel
    std::filesystem::path definition;  // the source with OP_ADD
    std::vector<std::string> chips;    // that the definition names: "ascend910b"
};

/// The operators below `folder`, by type; those of its tests and experiments are left out. Throws UserError
/// if there is no such folder.
[[nodiscard]] std::vector<LibraryOperator> operators_in(const std::filesystem::path& folder);

/// The same. Throws UserError if there are none.
[[nodiscard]] std::vector<LibraryOperator> some_operators_in(const std::filesystem::path& folder);

/// The operator that `name` means in any spelling ("RmsNorm", "rms_norm", "aclnnRmsNorm"). Throws UserError
/// with the nearest names if there is none.
[[nodiscard]] LibraryOperator operator_named(const std::string& name, const std::filesystem::path& folder);

/// A name's letters and digits, in lower case: what is left of it in every spelling.
[[nodiscard]] std::string letters_of(std::string_view name);

/// The chip by the name that definitions and CMake files give it, for one of models/chips: "ascend910b".
[[nodiscard]] std::string library_chip(const std::string& chip);

/// The kernel sources of an operator, without those of another generation.
[[nodiscard]] std::vector<std::filesystem::path> kernel_sources(const LibraryOperator& one);

/// The host sources that its CMake files would compile for a chip: definition, shape inference, tiling,
/// and those of folders beside it that register something for it. What they share with others is not among
/// them.
[[nodiscard]] std::vector<std::filesystem::path> host_sources(const LibraryOperator& one,
                                                              const std::string& chip);

}  // namespace ascendsim::toolchain
