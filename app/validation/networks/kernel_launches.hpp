// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/validation/serving/source_statement.hpp"
#include "app/validation/serving/step_runs.hpp"
#include "app/validation/system/system_row.hpp"

namespace ascendsim::validation {

/// The mean time of the launches that a row's kernel is a mean over, each run as a row of measurements.csv
/// would be. Throws UserError if the row's chip is not described or a launch cannot be run.
[[nodiscard]] KernelSum mean_of_launches(const std::vector<StatedLaunch>& launches,
                                         const SystemRow& row,
                                         const toolchain::Installation& installation,
                                         std::size_t jobs);

/// What launches took together, and which of them cannot be run.
struct LaunchesSum {
    KernelSum kernels;
    std::vector<std::string> left_out;  // kernel and shape
};

/// The sum of launches, each as often as it ran. Throws UserError if the row's chip is not described.
[[nodiscard]] LaunchesSum sum_of_launches(const std::vector<StatedLaunch>& launches,
                                          const SystemRow& row,
                                          const toolchain::Installation& installation,
                                          std::size_t jobs);

/// The kernel that a row itself names, with its shape and the first element type that it names (half if it
/// names none), as such a launch.
[[nodiscard]] StatedLaunch launch_in(const SystemRow& row);

}  // namespace ascendsim::validation
