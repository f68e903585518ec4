// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "app/validation/system/system_validation.hpp"
#include "networks/run/run_tasks.hpp"

namespace ascendsim::validation {

/// Kernels, sums of operators, what fusion leaves, what it gains.
[[nodiscard]] const std::vector<SystemGroup>& networks_groups();

/// Compares operators of networks, their sums and their fusion with the rows of `data` (empty: those shipped,
/// of networks.csv, serving.csv and system.csv). Two rows that state the time before fusion and behind it are
/// one more, of the gain. Throws UserError for data that cannot be read.
[[nodiscard]] SystemValidation validate_networks(const std::filesystem::path& data,
                                                 const toolchain::Installation& installation,
                                                 const networks::TaskOptions& options);

}  // namespace ascendsim::validation
