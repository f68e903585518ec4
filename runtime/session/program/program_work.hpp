// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/session/session.hpp"

namespace ascendsim::runtime {

/// Builds the host program of `request` for its chip: the host's side, and its kernels for each kind of core.
/// Throws UserError with the compiler's message. A program that launches nothing is an error of the user's,
/// too.
[[nodiscard]] std::unique_ptr<Work> make_program_work(const RunRequest& request,
                                                      const HostProgram& program,
                                                      const toolchain::Installation& installation,
                                                      SessionProgress& progress);

}  // namespace ascendsim::runtime
