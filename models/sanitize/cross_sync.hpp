// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/sanitize/cross_clocks.hpp"
#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/reporter.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::sanitize {

/// Follows cross-core flags, SyncAll and messages: what cores know of each other, and which sets and waits do
/// not match.
class CrossSync {
public:
    /// What it is given must outlive it.
    CrossSync(const ChipSpec& chip, const LaunchCores& cores, Reporter& reporter)
        : chip_{chip}, cores_{cores}, reporter_{reporter} {}

    /// A launch of these cores starts.
    void start(std::span<const isa::LaunchCore> cores);
    /// `core` sets a flag, waits for one, or does both.
    void synchronise(CoreState& core, const isa::TimedOp& op);
    /// `core` goes on: what it waited for has come.
    void take(CoreState& core);
    /// Reports the cores that wait for others for ever.
    void check_waits();
    /// Reports the flags that are still up at the end of the launch.
    void check_left();

    /// The last set of `core` that stands at `site`; null: none.
    [[nodiscard]] const Touch* set_at(const CoreState& core, Site site) const;

    /// Forgets who set which flag.
    void clear() { sets_.clear(); }

private:
    void arrive(const CoreState& core, const isa::TimedOp& op, std::uint32_t mode);
    void check_partner(const CoreState& core, const isa::TimedOp& op);
    [[nodiscard]] const Touch* set_of(const CoreState& core, std::uint32_t id) const;
    [[nodiscard]] std::string absent(const CoreState& core, const CoreState::CrossWait& wait) const;
    [[nodiscard]] std::string flags_up(const CoreState& core) const;

    const ChipSpec& chip_;
    const LaunchCores& cores_;
    Reporter& reporter_;
    std::vector<Participant> participants_;                          // of the launch, by core
    std::optional<CrossClocks> clocks_;                              // of the launch
    std::map<std::pair<std::uint32_t, std::uint32_t>, Touch> sets_;  // by core and id
};

}  // namespace ascendsim::sanitize
