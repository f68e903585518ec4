// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/reporter.hpp"
#include "models/sanitize/sync_worth.hpp"

namespace ascendsim::sanitize {

/// Follows the flags and barriers between the pipes of one core: what a pipe knows to be complete, and which
/// sets and waits do not match.
class EventFlags {
public:
    /// What it is given must outlive it.
    EventFlags(const LaunchCores& cores, Reporter& reporter, SyncWorth& worth)
        : cores_{cores}, reporter_{reporter}, worth_{worth} {}

    void set(CoreState& core, const isa::TimedOp& op);
    void wait(CoreState& core, const isa::TimedOp& op);
    /// A barrier of one pipe, or of all.
    void barrier(CoreState& core, const isa::TimedOp& op);
    /// Reports the flags that are still up or still waited for when `core` has come to its end.
    void check_left(CoreState& core, Ending ending);

private:
    [[nodiscard]] bool is_kernels_own(const isa::TimedOp& op);
    void report_double_set(const Touch& touch, const isa::TimedOp& op, const Touch& before);
    void report_left(const FlagState& flag, std::string_view event, Ending ending);

    const LaunchCores& cores_;
    Reporter& reporter_;
    SyncWorth& worth_;
    bool inserted_ = false;  // the compiler has inserted synchronisation
};

}  // namespace ascendsim::sanitize
