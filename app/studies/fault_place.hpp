// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace ascendsim::study {

/// What the error of a run says, and of which line.
struct Fault {
    std::string text;        // of a source that does not compile the compiler's first error alone
    std::string file{};      // below the working folder as seen from there; empty: the error names no place
    std::uint32_t line = 0;  // 0: none
};

/// Takes an error of a run apart: its place is that of the first error of the compiler, in the user's sources
/// if one is there; else the line of the scenario that it opens with, or the kernel's line that it names.
[[nodiscard]] Fault fault_of(const std::string& error);

}  // namespace ascendsim::study
