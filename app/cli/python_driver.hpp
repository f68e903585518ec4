// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// True if a word that `run` is given is a program to start: an executable file, or one in PATH, that is
/// neither a source nor a scenario.
[[nodiscard]] bool is_command(const std::string& word, const toolchain::Installation& installation);

/// Becomes `python3 -m ascendsim.suite WORDS…`, which runs any program and has its launches simulated. Throws
/// UserError where Python or the package is missing.
[[noreturn]] void become_suite(const std::vector<std::string>& words,
                               const toolchain::Installation& installation);

}  // namespace ascendsim::cli
