// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/validation/serving/step_runs.hpp"
#include "app/validation/system/system_validation.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::validation {

/// Kernels of a step, time of a token, time to the first token of a request that is alone and of one among
/// others (of which no error is asked, as it is mostly waiting), whole requests, throughput.
[[nodiscard]] const std::vector<SystemGroup>& serving_groups();

/// Compares served loads and kernels of their steps with the rows of `data` (empty: those shipped). Rows of
/// the same run share it. Throws UserError for data that cannot be read.
[[nodiscard]] SystemValidation validate_serving(const std::filesystem::path& data,
                                                const toolchain::Installation& installation,
                                                const networks::TaskOptions& options);

/// Judges a row of category kernel_mean.
void judge_step_kernel(JudgedSystemRow& judged,
                       const toolchain::Installation& installation,
                       const ServingData& data,
                       StepRuns& runs);

}  // namespace ascendsim::validation
