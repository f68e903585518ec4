// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/session/session.hpp"

namespace ascendsim::runtime {

/// Loads what the plan of `run`, a part of `request`, launches, compiling what is not there. Throws UserError
/// with the compiler's message, for unknown entries and for arguments that do not match.
[[nodiscard]] std::unique_ptr<Work> make_planned_work(const RunRequest& request,
                                                      const PlannedRun& run,
                                                      const toolchain::Installation& installation);

}  // namespace ascendsim::runtime
