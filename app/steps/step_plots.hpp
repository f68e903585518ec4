// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/analysis/machine/machine_layout.hpp"
#include "app/analysis/machine/recorded_plots.hpp"
#include "app/steps/step_report.hpp"

namespace ascendsim::steps {

/// What a recording of a step shows beside its spans: links' traffic and watts over time, parts of the step
/// and causes of free time of its slowest rank, each task with its launch and alone, free time of all ranks.
[[nodiscard]] std::vector<analysis::RecordedPlot> step_plots(const StepProgram& program,
                                                             const StepRun& run,
                                                             const StepFigures& figures);

/// The machine that a step ran on, with the links that it used.
[[nodiscard]] analysis::MachineLayout machine_layout(const StepProgram& program, const StepRun& run);

}  // namespace ascendsim::steps
