// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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
    bool experimental = false;         // in a folder of that name below the library's

    /// True if the definition names this chip, or none at all.
    [[nodiscard]] bool is_for(const std::string& chip) const;
};

/// What a library has in folders named "experimental", often second definitions of its other operators.
enum class Experiments : std::uint8_t { left_out, taken };

/// The operators below `folder`, by type, of one type the experimental ones last; those of its tests are left
/// out. Throws UserError if there is no such folder.
[[nodiscard]] std::vector<LibraryOperator> operators_in(const std::filesystem::path& folder,
                                                        Experiments experiments = Experiments::left_out);

/// The same with experiments. Throws UserError if there are none.
[[nodiscard]] std::vector<LibraryOperator> some_operators_in(const std::filesystem::path& folder);

/// The operator that `name` means in any spelling ("RmsNorm", "rms_norm", "aclnnRmsNorm"). Where several
/// folders define it, the first that is for `chip` (as of library_chip()); the first of all if none is, or
/// `chip` is empty. Throws UserError with the nearest names if there is none.
[[nodiscard]] LibraryOperator operator_named(const std::string& name,
                                             const std::filesystem::path& folder,
                                             const std::string& chip = {});

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
