// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/node/collectives.hpp"
#include "models/node/host_timeline.hpp"
#include "models/sanitize/stream_races.hpp"
#include "runtime/acl/meetings.hpp"
#include "runtime/acl/streams.hpp"

namespace ascendsim::runtime {

/// A collective call under way: the ranks that have called it, and those whose streams have come to it.
struct Meeting {
    /// A rank that has called.
    struct Seat {
        program::StreamNumber stream{};
        program::CallPlace call;
        std::string place;
        std::uint32_t device = 0;
        program::ExchangePart part;
        node::HostTimeline::Point issued;
        std::optional<node::HostTimeline::Point> arrived;  // its stream has come to it
        sanitize::StreamWork work;                         // from then on
    };

    program::ExchangeCall what;              // of the first that called
    std::vector<std::uint32_t> ranks;        // that take part
    std::vector<std::optional<Seat>> seats;  // of these
    bool done = false;                       // its time is on the timeline

    [[nodiscard]] std::size_t seat_of(std::uint32_t rank) const;
    [[nodiscard]] bool complete() const;
    /// As the node's collectives count it; the first rank is the root.
    [[nodiscard]] node::Collective collective() const;
    /// The seats in the order of collective()'s ranks.
    [[nodiscard]] std::vector<std::size_t> order() const;
    /// What a stuck stream waits for here; `next` is a rank that has called and whose stream stands
    /// elsewhere.
    [[nodiscard]] std::string missing(std::optional<program::StreamNumber>& next) const;
};

/// The communicators of a program. The n-th collective calls of all ranks of one meet; a send meets the
/// receive of the other rank that is as many calls behind.
class ProgramMeetings {
public:
    program::GroupNumber create(std::uint32_t size);
    void join(program::GroupNumber group, std::uint32_t rank, std::uint32_t device);

    [[nodiscard]] std::uint32_t device_of(program::GroupNumber group, std::uint32_t rank) const;

    /// The meeting that a rank's next call belongs to. Throws ProgramError if it is not the call that others
    /// have made.
    std::shared_ptr<Meeting> meeting_of(program::GroupNumber group,
                                        std::uint32_t rank,
                                        const program::ExchangeCall& what,
                                        const std::string& place);

private:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;

    struct Group {
        std::vector<std::optional<std::uint32_t>> devices;           // of each rank, once it has joined
        std::vector<std::uint64_t> calls;                            // of each rank
        std::map<std::uint64_t, std::shared_ptr<Meeting>> meetings;  // by their turn
        std::map<Pair, std::deque<std::shared_ptr<Meeting>>> pairs;  // sends and receives that wait
    };

    std::shared_ptr<Meeting> pair_of(Group& group, std::uint32_t rank, const program::ExchangeCall& what);

    std::vector<Group> groups_;
};

}  // namespace ascendsim::runtime
