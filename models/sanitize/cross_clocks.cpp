// SPDX-License-Identifier: Apache-2.0
#include "models/sanitize/cross_clocks.hpp"

namespace ascendsim::sanitize {

void CrossClocks::arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id, const Clock& clock) {
    const Participant& self = participants_[core];
    const bool grouped = mode == CrossFlags::mode_group_vectors || mode == CrossFlags::mode_group ||
                         mode == CrossFlags::mode_message;
    const Meeting meeting{.mode = mode,
                          .id = id,
                          .group = grouped ? self.group : 0,
                          .kind = mode == CrossFlags::mode_sync_all ? CoreKind::aic : self.kind,
                          .turn = turns_[{core, mode, id}]++};
    meetings_[meeting].join_foreign(clock.foreign);
    // The last to arrive completes the meeting, so the raise carries its number.
    const std::uint64_t number = next_++;
    const auto up = flags_.set(core, mode, id, Raise{.time = number, .by = {0, number}});
    if (!up.empty()) {
        told_[number] = {.clock = meetings_[meeting], .takers = up.size()};
        meetings_.erase(meeting);
    }
}

std::optional<Clock> CrossClocks::take(std::uint32_t core, std::uint32_t mode, std::uint32_t id) {
    const std::optional<Raise> raise = flags_.take(core, mode, id);
    if (!raise) {
        return std::nullopt;
    }
    const auto told = told_.find(raise->time);
    Clock clock = told->second.clock;
    if (--told->second.takers == 0) {
        told_.erase(told);
    }
    return clock;
}

}  // namespace ascendsim::sanitize
