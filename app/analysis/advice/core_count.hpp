// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

/// How long a run would take on another number of cores, by an estimate: each core more makes the launch
/// longer by `launch.per_core_us` (a block of mixed cores by that of each of its cores) and the shares of the
/// work smaller.
///
/// What counts as a share of the work is the time of a core from the first to the last instruction of any of
/// its pipes but the scalar unit, on average; reading arguments, stack and code costs every core the same.
/// The share shrinks without steps and not below the speed of light: where work comes in few pieces the truth
/// is coarser.
struct CoreCount {
    std::uint32_t now =
        0;  // cores of the kind that counts blocks: cube cores where there are any, else vector cores
    std::uint32_t available = 0;  // of that kind on the chip
    std::uint32_t best = 0;       // with the least estimated time
    double launch_cycles = 0;     // more (or fewer, if negative) for the best
    double share_cycles = 0;      // of a core's work now
    double gain_cycles = 0;       // of the run; not negative
};

/// The estimate for a run with one launch whose blocks all run at once; none of other runs.
[[nodiscard]] std::optional<CoreCount> best_core_count(const RunSummary& summary,
                                                       const record::Recording& recording);

/// Numbers of cores worth a run, the best by the estimate first, and behind it the nearest to it that comes
/// of doubling or halving the number now: a kernel that shares its work evenly may take no other.
[[nodiscard]] std::vector<std::uint32_t> core_counts_to_try(const CoreCount& count);

}  // namespace ascendsim::analysis
