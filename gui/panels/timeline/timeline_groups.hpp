// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gui/document/run.hpp"

namespace ascendsim::gui {

/// A pipe of a core, or another track, in the runs that are shown; a run that never used it has no lane for
/// it.
struct TimelineLane {
    std::optional<std::uint32_t> a;
    std::optional<std::uint32_t> b;
};

/// What folds as one: a core of either run, tracks outside of cores that are listed together, or what holds
/// several of these: a server of a cluster, a device beside others.
struct TimelineCore {
    static constexpr std::uint32_t outside = 1U << 30U;  ///< marks a key of tracks outside of cores
    static constexpr std::uint32_t holder = 1U << 29U;   ///< and beside it, one of what holds others

    std::string name;   ///< of its own: "aiv17", "node0/host"
    std::string label;  ///< as shown below what holds it: "host"
    /// What folding goes by: the core's index, or the number of the first of the tracks; marked if run A gave
    /// it to another.
    std::uint32_t key = 0;
    std::vector<TimelineLane> lanes;    ///< of a holder: some of those below, for its strips
    std::optional<std::size_t> inside;  ///< of what, in the list; always before it

    [[nodiscard]] bool is_core() const { return (key & outside) == 0; }

    [[nodiscard]] bool holds_others() const { return !is_core() && (key & holder) != 0; }
};

/// The cores and other groups of the runs, in the order of rows.
[[nodiscard]] std::vector<TimelineCore> timeline_groups(const Run& a, const Run* b);

/// The key of what a lane of a run folds with.
[[nodiscard]] std::uint32_t fold_key(const Run& run, std::uint32_t lane);

/// How far inside of others a group is.
[[nodiscard]] int depth_of(const std::vector<TimelineCore>& groups, std::size_t group);

}  // namespace ascendsim::gui
