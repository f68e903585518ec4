// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/scenario/scenario.hpp"
#include "models/core/machine.hpp"
#include "models/sanitize/checker.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim {

/// How a scenario has its machine run. `checker` may be null: nobody watches.
[[nodiscard]] inline MachineOptions machine_options(const Scenario& scenario, sanitize::Checker* checker) {
    return {.functional = scenario.functional,
            .observer = checker,
            .framework_folder = host::Installation::framework_folder,
            .limits = scenario.limits,
            .cold_code = scenario.l2 != L2State::warm,
            .from_idle = scenario.from_idle,
            .launch_overhead = scenario.launch_overhead};
}

}  // namespace ascendsim
