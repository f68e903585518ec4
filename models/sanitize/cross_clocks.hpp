// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "models/sanitize/clock.hpp"
#include "models/timeline/cross_flags.hpp"

namespace ascendsim::sanitize {

/// What cores tell each other through cross-core flags and SyncAll: the n-th wait learns what all arrivals of
/// the n-th raise knew.
class CrossClocks {
public:
    explicit CrossClocks(std::vector<Participant> participants)
        : participants_{participants}, flags_{std::move(participants)} {}

    /// Core `core` arrives, with everything in `clock` complete.
    void arrive(std::uint32_t core, std::uint32_t mode, std::uint32_t id, const Clock& clock);
    /// What `core`'s oldest untaken raise of flag `id` tells, if there is one.
    [[nodiscard]] std::optional<Clock> take(std::uint32_t core, std::uint32_t mode, std::uint32_t id);

    /// Raises of `core`'s flag that were not taken.
    [[nodiscard]] std::size_t raised(std::uint32_t core, std::uint32_t mode, std::uint32_t id) const {
        return flags_.raised(core, mode, id);
    }

    /// Cores that have yet to arrive before flag `id` of `core` goes up, though others have.
    [[nodiscard]] std::vector<std::uint32_t> awaited(std::uint32_t core,
                                                     std::uint32_t mode,
                                                     std::uint32_t id) const {
        return flags_.awaited(core, mode, id);
    }

private:
    struct Meeting {
        std::uint32_t mode;
        std::uint32_t id;
        std::uint32_t group;
        CoreKind kind;
        std::uint64_t turn;
        auto operator<=>(const Meeting&) const = default;
    };

    struct Told {
        Clock clock;
        std::size_t takers = 0;
    };

    std::vector<Participant> participants_;
    CrossFlags flags_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint64_t> turns_;
    std::map<Meeting, Clock> meetings_;
    std::map<std::uint64_t, Told> told_;  // by the number its raise carries as time
    std::uint64_t next_ = 1;
};

}  // namespace ascendsim::sanitize
