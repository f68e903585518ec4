// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "app/analysis/blame/critical_path.hpp"
#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// Cycles of the critical path at synchronisation that the compiler inserted, with the results that it waited
/// for.
[[nodiscard]] std::uint64_t inserted_cycles(const CriticalPath& path, const record::Recording& recording);

/// What is cheaper by hand, where the compiler inserts synchronisation.
[[nodiscard]] std::string inserted_remedy(const AutoSyncFigures& figures);

/// What speaks for it: counts, and the lines that cost most.
[[nodiscard]] std::string inserted_evidence(const AutoSyncFigures& figures, double share);

}  // namespace ascendsim::analysis
