// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_meetings.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/base/error.hpp"

namespace ascendsim::runtime {
namespace {

using node::CollectiveKind;
using program::Exchange;
using program::ExchangeCall;
using program::GroupNumber;

CollectiveKind kind_of(Exchange kind) {
    switch (kind) {
        case Exchange::all_gather:
            return CollectiveKind::all_gather;
        case Exchange::reduce_scatter:
            return CollectiveKind::reduce_scatter;
        case Exchange::all_to_all:
            return CollectiveKind::all_to_all;
        case Exchange::broadcast:
            return CollectiveKind::broadcast;
        case Exchange::send:
            return CollectiveKind::send_receive;
        case Exchange::reduce:
            return CollectiveKind::reduce;
        case Exchange::scatter:
            return CollectiveKind::scatter;
        case Exchange::all_reduce:
        case Exchange::barrier:
            break;
    }
    return CollectiveKind::all_reduce;
}

std::shared_ptr<Meeting> make_meeting(const ExchangeCall& what, std::vector<std::uint32_t> ranks) {
    auto meeting = std::make_shared<Meeting>();
    meeting->what = what;
    meeting->seats.resize(ranks.size());
    meeting->ranks = std::move(ranks);
    return meeting;
}

}  // namespace

std::size_t Meeting::seat_of(std::uint32_t rank) const {
    return static_cast<std::size_t>(std::ranges::find(ranks, rank) - ranks.begin());
}

bool Meeting::complete() const {
    return std::ranges::all_of(seats, [](const std::optional<Seat>& seat) { return seat && seat->arrived; });
}

std::vector<std::size_t> Meeting::order() const {
    std::vector<std::size_t> order(seats.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (what.kind == Exchange::broadcast || what.kind == Exchange::reduce || what.kind == Exchange::scatter) {
        // clang 14, which builds what ./demo runs first, does not take std::ranges::rotate of g++ 12's
        // library.
        std::rotate(
            order.begin(), order.begin() + static_cast<std::ptrdiff_t>(seat_of(what.root)), order.end());
    }
    return order;
}

node::Collective Meeting::collective() const {
    constexpr std::uint64_t barrier_bytes = 4;  // of each rank: the smallest all-reduce
    node::Collective call{.kind = kind_of(what.kind),
                          .bytes = what.kind == Exchange::barrier ? barrier_bytes : what.bytes,
                          .ranks = {}};
    for (const std::size_t seat : order()) {
        call.ranks.push_back(seats[seat]->device);
    }
    return call;
}

std::string Meeting::missing(std::optional<program::StreamNumber>& next) const {
    std::vector<std::uint32_t> absent;
    std::vector<std::string> behind;  // ranks whose streams have other work before it
    for (std::size_t seat = 0; seat < seats.size(); ++seat) {
        if (!seats[seat]) {
            absent.push_back(ranks[seat]);
        } else if (!seats[seat]->arrived) {
            next = next.value_or(seats[seat]->stream);
            behind.push_back(fmt::format("rank {} at {}", ranks[seat], seats[seat]->place));
        }
    }
    if (absent.empty()) {
        return fmt::format("{}, which has other work before it on its stream", fmt::join(behind, ", "));
    }
    next.reset();
    return absent.size() == 1 ? fmt::format("rank {}, which has not called it", absent[0])
                              : fmt::format("ranks {}, which have not called it", fmt::join(absent, ", "));
}

GroupNumber ProgramMeetings::create(std::uint32_t size) {
    groups_.push_back({.devices = std::vector<std::optional<std::uint32_t>>(size),
                       .calls = std::vector<std::uint64_t>(size),
                       .meetings = {},
                       .pairs = {}});
    return static_cast<GroupNumber>(groups_.size() - 1);
}

void ProgramMeetings::join(GroupNumber group, std::uint32_t rank, std::uint32_t device) {
    groups_.at(static_cast<std::size_t>(group)).devices.at(rank) = device;
}

std::uint32_t ProgramMeetings::device_of(GroupNumber group, std::uint32_t rank) const {
    return groups_.at(static_cast<std::size_t>(group)).devices.at(rank).value();
}

std::shared_ptr<Meeting> ProgramMeetings::pair_of(Group& group,
                                                  std::uint32_t rank,
                                                  const ExchangeCall& what) {
    auto& waiting = group.pairs[{what.root, what.peer}];
    const auto free = std::ranges::find_if(
        waiting, [&](const auto& meeting) { return !meeting->seats[meeting->seat_of(rank)]; });
    if (free == waiting.end()) {
        return waiting.emplace_back(make_meeting(what, {what.root, what.peer}));
    }
    std::shared_ptr<Meeting> meeting = *free;
    waiting.erase(free);
    return meeting;
}

std::shared_ptr<Meeting> ProgramMeetings::meeting_of(GroupNumber number,
                                                     std::uint32_t rank,
                                                     const ExchangeCall& what,
                                                     const std::string& place) {
    Group& group = groups_.at(static_cast<std::size_t>(number));
    std::shared_ptr<Meeting> meeting;
    if (what.kind == Exchange::send) {
        meeting = pair_of(group, rank, what);
    } else {
        const std::uint64_t turn = group.calls[rank]++;
        std::shared_ptr<Meeting>& known = group.meetings[turn];
        if (!known) {
            std::vector<std::uint32_t> ranks(group.devices.size());
            std::iota(ranks.begin(), ranks.end(), 0U);
            known = make_meeting(what, std::move(ranks));
        }
        meeting = known;
    }
    if (meeting->what.agreed != what.agreed) {
        const auto first = std::ranges::find_if(meeting->seats, [](const auto& seat) { return bool{seat}; });
        throw ProgramError{
            "ranks of one communicator call different collectives: rank {} at {}: {}; rank {} "
            "at {}: {}",
            meeting->ranks[static_cast<std::size_t>(first - meeting->seats.begin())],
            (*first)->place,
            meeting->what.agreed,
            rank,
            place,
            what.agreed};
    }
    meeting->what.bytes = std::max(meeting->what.bytes, what.bytes);
    if (what.kind != Exchange::send &&
        std::ranges::count_if(meeting->seats, [](const auto& seat) { return bool{seat}; }) + 1 ==
            static_cast<std::ptrdiff_t>(meeting->seats.size())) {
        group.meetings.erase(group.calls[rank] - 1);  // its streams keep it
    }
    return meeting;
}

}  // namespace ascendsim::runtime
