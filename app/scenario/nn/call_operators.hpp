// SPDX-License-Identifier: Apache-2.0
// The operators behind a host program's aclnn calls: of libraries, of the operator project around the
// program, and of the simulator's own.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "runtime/session/operator_source.hpp"
#include "runtime/session/run_request.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::scenario {

/// Makes the headers aclnn_….h that a program includes, adds their folder to its flags, and gives it the
/// source of the operators behind them; a program without such headers stays as it is. `libraries` are
/// searched behind the operator project around the program. Throws UserError for a header whose operator is
/// nowhere.
void serve_operator_calls(runtime::HostProgram& program,
                          const std::vector<std::filesystem::path>& libraries,
                          const ChipSpec& chip,
                          const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
