// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/cli/options.hpp"

namespace ascendsim::cli {

/// One sentence about the program, for its help and its manual.
inline constexpr std::string_view program_meaning =
    "AscendSim runs Ascend C kernels on a simulated Ascend chip and tells where every cycle went.";

/// A command with everything it takes: what manual and shell completion are made of.
struct CommandEntry {
    std::string name;
    std::string meaning;
    std::vector<DeclaredOption> options;
};

/// All commands, by name.
[[nodiscard]] std::vector<CommandEntry> command_table();

/// The manual page ascendsim(1), in the language of man(7).
[[nodiscard]] std::string manual_page(const std::vector<CommandEntry>& table, std::string_view release);

/// The script that makes bash complete commands, options and their values.
[[nodiscard]] std::string bash_completion(const std::vector<CommandEntry>& table);

}  // namespace ascendsim::cli
