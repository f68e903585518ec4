// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ascendsim::toolchain {

/// What a use of a macro that makes kernel functions stands for.
struct MadeCode {
    std::string text;
    std::uint32_t line = 0;  // of the use
};

/// The code of a source's own macros that hold `__global__`, for each use of them outside of other macros:
/// `DEF(half)`, and `FOR_ALL(DEF)` where FOR_ALL is a macro of the source, too. Works on the text alone.
[[nodiscard]] std::vector<MadeCode> code_of_kernel_macros(std::string_view source);

}  // namespace ascendsim::toolchain
