// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "models/spec/chip_spec.hpp"
#include "networks/operators/operators.hpp"
#include "runtime/session/run_request.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {

/// The name of the file that a generated kernel is kept in: another source, another name.
[[nodiscard]] std::string source_name(const loops::Kernel& kernel);

/// The task's kernel as its host side plans it; the source of a generated kernel is kept in the cache. Throws
/// UserError for what the kernel cannot take.
[[nodiscard]] runtime::PlannedRun planned(const Task& task,
                                          const ChipSpec& chip,
                                          const toolchain::Installation& installation);

}  // namespace ascendsim::networks
