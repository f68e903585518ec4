// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/steps/step_cores.hpp"
#include "app/steps/step_report.hpp"

namespace ascendsim::steps {

/// Writes a step as a recording, a cycle being a nanosecond, or that of the chip if `kernels` brings pipes
/// along: tracks of each rank's host threads, streams and
/// copy engines, and of the links between devices. A wait on a stream names the span whose end it waited for.
/// The metadata's `step` is step_json(), beside
/// step_plots() and machine_layout(). Throws UserError if it cannot be written.
void write_step_recording(const std::filesystem::path& file,
                          const StepProgram& program,
                          const StepRun& run,
                          const StepFigures& figures,
                          const std::vector<StepAdvice>& advice = {},
                          const KernelRecordings& kernels = {});

}  // namespace ascendsim::steps
