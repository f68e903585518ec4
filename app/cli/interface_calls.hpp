// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::cli {

/// A call of the kernel interface and the instructions it issues.
struct InterfaceCall {
    std::string_view name;          // "DataCopy"
    std::string_view instructions;  // separated by blanks
    std::string_view note;          // which of them, and when
};

/// The calls that kernels make most, by name. A test holds them against the interface's headers and the list
/// of instructions.
[[nodiscard]] std::span<const InterfaceCall> interface_calls();

/// The calls that issue `instruction`.
[[nodiscard]] std::vector<std::string> calls_of(std::string_view instruction);

}  // namespace ascendsim::cli
