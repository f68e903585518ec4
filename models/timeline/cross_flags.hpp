// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "models/port/pipe.hpp"
#include "sim/record/span.hpp"

namespace ascendsim {

/// A program's place in a launch, as cross-core flags see it.
struct Participant {
    CoreKind kind = CoreKind::aiv;
    std::uint32_t group = 0;  // cube core and its vector cores share it
    std::uint32_t sub = 0;    // of a vector core: its place in the group
};

/// When a flag went up, and what put it up.
struct Raise {
    std::uint64_t time = 0;
    record::SpanId by{};
};

/// Cross-core flags of one launch: who must arrive before whose counter goes up. The n-th wait takes the n-th
/// raise, so the result does not depend on the order in which arrivals become known.
///
/// mode 0: all cores of one kind meet; 1: the vector cores of a group meet; 2: a cube core raises its vector
/// cores, or all vector cores of a group together raise their cube core [Ascend C documentation of
/// CrossCoreSetFlag]. Messages (models/port/mailbox.hpp) go between the cube core and one vector core of its
/// group; their id says which: see message_sub.
class CrossFlags {
public:
    static constexpr std::uint32_t mode_all_of_kind = 0;
    static constexpr std::uint32_t mode_group_vectors = 1;
    static constexpr std::uint32_t mode_group = 2;
    static constexpr std::uint32_t mode_sync_kind = 3;  // SyncAll of one kind
    static constexpr std::uint32_t mode_sync_all = 4;   // SyncAll of both kinds
    static constexpr std::uint32_t mode_message = 5;    // one sender, one receiver
    static constexpr std::uint32_t message_senders = 2;

    /// The vector core of the group that a message's id names.
    [[nodiscard]] static constexpr std::uint32_t message_sub(std::uint32_t id) {
        return id % message_senders;
    }

    /// A counter of the flags of modes 0 to 2 holds up to `counter_max`; without, any number.
    explicit CrossFlags(std::vector<Participant> participants, std::optional<std::uint32_t> counter_max = {})
        : participants_{std::move(participants)}, counter_max_{counter_max} {}

    /// Participant `core` arrives at flag `id`, at `site`. Returns the participants whose flag went up by it,
    /// in order.
    std::vector<std::uint32_t> set(
        std::uint32_t core, std::uint32_t mode, std::uint32_t id, Raise arrival, Site site = {});
    /// Takes the oldest untaken raise of `core`'s flag, if there is one; the wait begins at `now`.
    [[nodiscard]] std::optional<Raise> take(std::uint32_t core,
                                            std::uint32_t mode,
                                            std::uint32_t id,
                                            std::uint64_t now = 0);

    /// A raise that found its counter at its maximum.
    struct Overflow {
        std::uint32_t setter = 0;  // participants
        std::uint32_t waiter = 0;
        std::uint32_t id = 0;
        std::uint64_t time = 0;
        Site site{};
    };

    /// The first one found so far; whether a wait came in time is known when both have been timed.
    [[nodiscard]] const std::optional<Overflow>& overflow() const { return overflow_; }

    /// No further wait comes: looks at the raises that are left.
    void finish();
    /// When the oldest untaken raise of `core`'s flag comes, if there is one.
    [[nodiscard]] std::optional<std::uint64_t> earliest(std::uint32_t core,
                                                        std::uint32_t mode,
                                                        std::uint32_t id) const;
    /// Raises not taken yet.
    [[nodiscard]] std::size_t raised(std::uint32_t core, std::uint32_t mode, std::uint32_t id) const;
    /// Cores that have yet to arrive before `core`'s flag goes up; for deadlock messages.
    [[nodiscard]] std::vector<std::uint32_t> awaited(std::uint32_t core,
                                                     std::uint32_t mode,
                                                     std::uint32_t id) const;

private:
    using Meeting =
        std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, CoreKind>;  // mode, id, group, kind
    using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // core, space, id

    /// An arrival at a flag: who came, and where its program stood.
    struct Arrival {
        Raise raise{};
        std::uint32_t core = 0;
        Site site{};
    };

    struct Counter {
        std::deque<Arrival> raised{};       // and not taken
        std::deque<std::uint64_t> taken{};  // when, of the latest; kept where the counter has a maximum
    };

    void raise(const Place& place, const Arrival& last);
    /// `raise` found its counter full if a place in it was freed after it only.
    void check(const Place& place, const Arrival& raise, std::uint64_t freed);

    /// SyncAll and messages have counters of their own, without a maximum.
    [[nodiscard]] bool limited(const Place& place) const { return counter_max_ && std::get<1>(place) == 0; }

    [[nodiscard]] bool arrives(std::uint32_t other, std::uint32_t core, std::uint32_t mode) const;
    [[nodiscard]] bool raised_by(std::uint32_t other,
                                 std::uint32_t core,
                                 std::uint32_t mode,
                                 std::uint32_t id) const;

    std::vector<Participant> participants_;
    std::optional<std::uint32_t> counter_max_;
    std::map<Meeting, std::map<std::uint32_t, std::deque<Arrival>>> arrivals_;
    std::map<Place, Counter> counters_;
    std::optional<Overflow> overflow_;
};

}  // namespace ascendsim
