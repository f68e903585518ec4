// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/scenario/scenario.hpp"
#include "sim/record/recording.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::cli {

/// True for the name of a shipped scenario, and of anything that must be a scenario's file or a source.
[[nodiscard]] bool is_scenario(const std::string& name, const toolchain::Installation& installation);

/// The recording a word means: a file, or the last complete run of that name. Throws UserError if there is
/// neither.
[[nodiscard]] std::filesystem::path find_recording(const std::string& name);

/// True if `name` is a recording's file, not a run's name or a scenario: it may come from anyone.
[[nodiscard]] bool names_a_recording(const std::string& name);

/// Throws UserError if what the recording that `name` means was made of must not be run again: a file may
/// come from anyone, and nothing that it names is run for that alone.
void check_may_be_run(const std::string& name);

/// Throws UserError if nothing had run when the recording that `name` means was written.
void check_holds_something(const record::Recording& recording, const std::string& name);

/// The scenario that `name` means: a file, a source, a shipped scenario, or else what the run kept under that
/// name was made of, with the settings it had. Throws UserError.
[[nodiscard]] scenario::ScenarioFile open_scenario(const std::string& name,
                                                   const toolchain::Installation& installation,
                                                   std::vector<scenario::Override> overrides);

/// The same; a scenario's file, or its name where it has never run, is run first.
[[nodiscard]] std::filesystem::path find_or_run(const std::string& name,
                                                const toolchain::Installation& installation);

}  // namespace ascendsim::cli
