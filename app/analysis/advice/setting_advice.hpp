// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/analysis/advice/advice.hpp"

namespace ascendsim::analysis {

/// The parameter that a setting sets: "kernel.tile" of "kernel.tile=4096".
[[nodiscard]] std::string parameter_of(const std::string& setting);

/// The settings to run next: of each way in which advice turns a parameter, the one behind the last that was
/// run, where that one gained, and more than the one before it.
[[nodiscard]] std::vector<std::string> next_steps(const std::vector<Advice>& advice,
                                                  const std::vector<AdviceTrial>& trials);

/// Turns runs of settings into advice: one for each parameter, with all that was tried of it, what it gained,
/// and the causes it serves. A cause keeps what speaks for it and no gain of a setting, since a run with
/// another setting changes more than one cause. `offered` are parameters that no cause speaks of.
void tell_settings(std::vector<Advice>& advice,
                   const std::vector<Advice>& offered,
                   const std::vector<AdviceTrial>& trials);

}  // namespace ascendsim::analysis
