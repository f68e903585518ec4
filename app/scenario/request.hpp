// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/scenario/scenario.hpp"
#include "runtime/session/run_request.hpp"

namespace ascendsim::scenario {

/// What a session is to run for a scenario: plans its kernel. The metadata holds `title`, `scenario` (name),
/// `file`, `problem`, `kernel`, `sources`, `knobs`, `knob_ranges` and `overrides`. Throws UserError for an
/// unknown kernel and for knobs that do not fit it.
[[nodiscard]] runtime::RunRequest make_request(const Scenario& scenario,
                                               const toolchain::Installation& installation);

}  // namespace ascendsim::scenario
