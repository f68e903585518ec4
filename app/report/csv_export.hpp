// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "app/analysis/run_summary.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::report {

/// Writes the tables of the vendor's profiler, with its file and column names, into `folder` (made if need
/// be): op_summary, OpBasicInfo, PipeUtilization, ArithmeticUtilization, Memory, MemoryL0, MemoryUB,
/// L2Cache, ResourceConflictRatio. What the model does not know stands there as NA. Returns the files; throws
/// UserError if one cannot be written.
std::vector<std::filesystem::path> write_csv(const std::filesystem::path& folder,
                                             const record::Recording& recording,
                                             const analysis::RunSummary& summary);

}  // namespace ascendsim::report
