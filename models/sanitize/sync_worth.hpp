// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

#include "models/sanitize/launch_cores.hpp"
#include "models/sanitize/reporter.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::sanitize {

/// Counts, for each wait and barrier of the source, how often it ordered something new, and reports those
/// that never did.
class SyncWorth {
public:
    /// What it is given must outlive it.
    SyncWorth(const ChipSpec& chip, const LaunchCores& cores, Reporter& reporter)
        : chip_{chip}, cores_{cores}, reporter_{reporter} {}

    /// A wait took the flag that `set` raised; `redundant`: its pipe knew all that the flag tells.
    void count_wait(const Touch& wait, const isa::TimedOp& op, const Touch& set, bool redundant);

    /// A barrier was met; `redundant`: all it waits for was known to be complete.
    void count_barrier(const Touch& barrier, const isa::TimedOp& op, bool redundant) {
        count(barrier, op, true, redundant);
    }

    /// Keeps which core was the first to run the waits and barriers of this launch, and when.
    void end_launch();
    /// Reports what was redundant in the whole run.
    void report();

private:
    using Place = std::tuple<std::string_view, std::uint32_t, std::uint8_t, std::uint8_t>;

    struct Worth {
        Touch touch;
        std::vector<Touch> first_of_cores;  // of its first launch, until that has ended
        std::vector<bool> met;              // by core, whether it is among these
        std::uint64_t useful = 0;
        std::uint64_t redundant = 0;
        std::uint32_t cycles = 0;  // each
        bool barrier = false;
        std::vector<const Worth*> sets;  // of the flags it waited for
        std::optional<Party> party;      // the first of these in simulated time, once its launch has ended
    };

    /// An operation of this launch in words, with its cycles.
    [[nodiscard]] Party timed(const Touch& touch) const;

    Worth& count(const Touch& touch, const isa::TimedOp& op, bool barrier, bool redundant);

    const ChipSpec& chip_;
    const LaunchCores& cores_;
    Reporter& reporter_;
    std::map<Place, Worth> worth_;
};

}  // namespace ascendsim::sanitize
