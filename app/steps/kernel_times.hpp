// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/steps/step_program.hpp"
#include "networks/run/run_tasks.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::steps {

/// Lets the detailed level find the time of every task that names a kernel, as a kernel in the middle of a
/// network (`networks::run_tasks`): equal ones once, known ones from the cache. Throws UserError, which opens
/// with the task's place, for a kernel that cannot run.
void time_kernels(std::vector<StepProgram>& programs,
                  const toolchain::Installation& installation,
                  const networks::TaskOptions& options);

/// What the detailed level runs for a task that names a kernel.
[[nodiscard]] networks::Task timed_task(const StepTask& task);

}  // namespace ascendsim::steps
