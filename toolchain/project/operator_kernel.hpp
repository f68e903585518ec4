// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "toolchain/installation/installation.hpp"
#include "toolchain/project/operator_library.hpp"
#include "toolchain/scan/entry_scan.hpp"

namespace ascendsim::toolchain {

/// The kernel function of an operator.
struct OperatorKernel {
    std::filesystem::path source;
    ScannedEntry entry;
    std::vector<std::string> type_parameters;  // of a template: "typename" or "uint32_t", in order
};

/// The kernel of an operator: of the file that its definition names (`file`, without ending), else of the one
/// named like the operator, else the only one there is. Throws UserError if there is none.
[[nodiscard]] OperatorKernel operator_kernel(const LibraryOperator& one, const std::string& file);

/// The cores that a kernel runs on for a tiling key, as KERNEL_TASK_TYPE(key, …) says; nothing if it does
/// not.
[[nodiscard]] std::optional<CoreUse> cores_of_key(const std::filesystem::path& source,
                                                  std::uint64_t key,
                                                  const Installation& installation);

}  // namespace ascendsim::toolchain
