// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/profile/chakra.hpp"
#include "app/steps/step_report.hpp"
#include "app/steps/step_run.hpp"

namespace ascendsim::profile {

/// The tasks of a rank in the columns of the vendor's kernel_details.csv. What a step does not know, such as
/// shapes, is "N/A".
[[nodiscard]] std::string kernel_details(const steps::StepProgram& program,
                                         const steps::StepRun& run,
                                         std::uint32_t rank);
/// The same in the columns of op_summary.csv.
[[nodiscard]] std::string op_summary(const steps::StepProgram& program,
                                     const steps::StepRun& run,
                                     std::uint32_t rank);
/// The row of a rank in step_trace_time.csv.
[[nodiscard]] std::string step_trace_time(const steps::StepFigures& figures, std::uint32_t rank);
/// The host's calls, the device's tasks, and an arrow from each call to its task, as trace_view.json.
[[nodiscard]] std::string trace_view(const steps::StepProgram& program,
                                     const steps::StepRun& run,
                                     std::uint32_t rank);
/// The tasks of a rank and what they wait for, as a Chakra execution trace.
[[nodiscard]] std::vector<ChakraNode> chakra_nodes(const steps::StepProgram& program,
                                                   const steps::StepRun& run,
                                                   std::uint32_t rank);

/// Writes `folder`/rank_N/ASCEND_PROFILER_OUTPUT/ with these four files for each rank, as the vendor's
/// profiler lays them out. Throws UserError for what cannot be written.
void write_vendor_profile(const std::filesystem::path& folder,
                          const steps::StepProgram& program,
                          const steps::StepRun& run,
                          const steps::StepFigures& figures);
/// Writes `folder`/trace.N.et for each rank, the names that ASTRA-sim expects.
void write_chakra(const std::filesystem::path& folder,
                  const steps::StepProgram& program,
                  const steps::StepRun& run);

}  // namespace ascendsim::profile
