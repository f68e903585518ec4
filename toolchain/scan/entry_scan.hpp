// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/port/core_use.hpp"

namespace ascendsim::toolchain {

/// A kernel function found in a source text.
struct ScannedEntry {
    std::string name;          // with its arguments for an explicit instantiation: "add<half>"
    bool is_template = false;  // cannot be called without arguments
    std::uint32_t line = 0;
    std::optional<CoreUse> cores;         // by its qualifiers or KERNEL_TASK_TYPE_DEFAULT, if it says
    std::vector<std::string> parameters;  // as written: "GM_ADDR x"
};

/// The cores of KERNEL_TYPE_AIV_ONLY and the like; nothing for other words.
[[nodiscard]] std::optional<CoreUse> task_type_cores(std::string_view type);

/// Finds the `__global__` functions of an Ascend C source: definitions, and explicit instantiations of
/// templates; where there are none, made_entries(). Works on the text alone.
[[nodiscard]] std::vector<ScannedEntry> scan_entries(std::string_view source);

/// The same of functions that macros of the source make, by the lines that use the macros; those of headers
/// are not seen.
[[nodiscard]] std::vector<ScannedEntry> made_entries(std::string_view source);

/// Names of the functions of a source file that can be called as they are.
[[nodiscard]] std::vector<std::string> callable_entries(const std::filesystem::path& source);

}  // namespace ascendsim::toolchain
