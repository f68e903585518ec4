// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace ascendsim::toolchain {

/// In a sandbox, throws UserError for a flag of a scenario's or a project's that could do more than say how a
/// source is read: load a plug-in into the compiler, start another program, write elsewhere.
void check_flags_in_sandbox(const std::vector<std::string>& flags);

/// The rule: true for a flag that is known to be harmless. A word without a dash is a file or a value.
[[nodiscard]] bool is_harmless_flag(const std::string& flag);

}  // namespace ascendsim::toolchain
