// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/validation/row.hpp"
#include "models/spec/chip_spec.hpp"
#include "runtime/acl/operator_call.hpp"
#include "toolchain/installation/installation.hpp"
#include "toolchain/project/operator_library.hpp"

namespace ascendsim::validation {

/// A row's operator as a library has it.
struct LibraryCase {
    std::string type;                // of the operator: "RmsNorm"
    std::filesystem::path scenario;  // that calls it at the row's shapes; empty: it cannot be called
    std::string why_not;             // then
};

/// The operators of a library, for rows that name one of them.
class LibraryRows {
public:
    /// Throws UserError if there is no such folder.
    LibraryRows(std::filesystem::path library, const toolchain::Installation& installation);

    /// The operator whose name is the row's, whatever its spelling, with the row's operands as inputs in
    /// order, and what its notes say as attributes. Nothing if the library has none of that name.
    [[nodiscard]] std::optional<LibraryCase> of(const Row& row, const ChipSpec& chip);

private:
    [[nodiscard]] const toolchain::LibraryOperator* named(const Row& row) const;
    [[nodiscard]] const tiling::DescribedOperator& described(const toolchain::LibraryOperator& one,
                                                             const ChipSpec& chip);

    std::filesystem::path library_;
    const toolchain::Installation& installation_;
    std::vector<toolchain::LibraryOperator> operators_;
    std::map<std::string, tiling::DescribedOperator> described_;  // by type and chip
};

}  // namespace ascendsim::validation
