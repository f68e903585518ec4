// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/scenario/scenario.hpp"
#include "app/scenario/session.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim {

/// Builds a scenario's host program, runs its main against a simulated device and records every launch it
/// makes, one after the other. The recording's metadata and totals are those of run_session, with the
/// program's `files` and `arguments`, and `program` {exit_code} in the totals.
[[nodiscard]] SessionOutcome run_program(const Scenario& scenario,
                                         const host::Installation& installation,
                                         const std::filesystem::path& recording,
                                         SessionProgress& progress);

}  // namespace ascendsim
