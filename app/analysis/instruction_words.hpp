// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace ascendsim::analysis {

/// What a reader calls an instruction of a recording. Most are called what the machine calls them; what the
/// machine does by itself (reading arguments, touching the stack) has no name that a kernel's author knows.
[[nodiscard]] constexpr std::string_view spoken_instruction(std::string_view op) {
    return op == "stack_load"       ? "first use of the stack"
           : op == "load_arguments" ? "reading the kernel's arguments"
           : op == "scalar"         ? "scalar code"
                                    : op;
}

/// True for reads that a core makes once in each launch, whatever its kernel does.
[[nodiscard]] constexpr bool is_start_of_kernel(std::string_view op) {
    return op == "stack_load" || op == "load_arguments";
}

}  // namespace ascendsim::analysis
