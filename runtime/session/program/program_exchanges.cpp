// SPDX-License-Identifier: Apache-2.0
// Collectives of a host program: ranks whose streams wait for each other.
#include <utility>

#include <fmt/format.h>

#include "runtime/session/program/program_streams.hpp"

namespace ascendsim::runtime {

using program::CallPlace;
using program::ExchangeCall;
using program::GraphTaskKind;
using program::GroupNumber;
using program::StreamNumber;

GroupNumber ProgramStreams::create_group(std::uint32_t size) {
    timeline_.run_by(devices_);  // when ranks come decides when the others go on
    return meetings_.create(size);
}

void ProgramStreams::join_group(GroupNumber group, std::uint32_t rank, std::uint32_t device) {
    meetings_.join(group, rank, device);
}

/// The communication server works beside the program's streams.
void ProgramStreams::expose(GroupNumber group, std::uint32_t rank, std::uint32_t size, std::byte* context) {
    const std::uint32_t device = meetings_.device_of(group, rank);
    exchanges_.expose(group, {rank, size}, device, at(add_stream(device)).id, context);
}

void ProgramStreams::meet(
    GroupNumber group, std::uint32_t rank, StreamNumber stream, const CallPlace& call, ExchangeCall what) {
    threads_.take_turn();
    next_poll_us_ = 0;
    Part part{group, rank, std::move(what)};
    if (!capture(stream, {.kind = GraphTaskKind::collective, .call = call, .name = {}, .part = part})) {
        add_part(stream, part, call, timeline_.issue(host_call(call)));
        if (advance(at(stream))) {
            advance_all();
        }
    }
}

void ProgramStreams::add_part(StreamNumber stream,
                              const Part& part,
                              const CallPlace& call,
                              const Point& issued) {
    const auto& [group, rank, what] = part;
    const std::string place = place_of(call);
    const std::shared_ptr<Meeting> meeting = meetings_.meeting_of(group, rank, what, place);
    const std::size_t seat = meeting->seat_of(rank);
    Stream& of = at(stream);
    count(of);
    meeting->seats[seat] = Meeting::Seat{.stream = stream,
                                         .call = call,
                                         .place = place,
                                         .device = meetings_.device_of(group, rank),
                                         .part = what.part,
                                         .issued = issued,
                                         .arrived = {},
                                         .work = {}};
    of.items.push_back({.place = place,
                        .issued = issued,
                        .host = host_.clock,
                        .work = {},
                        .event = {},
                        .meeting = meeting,
                        .seat = seat});
}

/// False while other ranks are still to come; `any` is set when this one has.
bool ProgramStreams::advance_meeting(Stream& stream, bool& any) {
    const Item item = stream.items.front();
    Meeting& meeting = *item.meeting;
    Meeting::Seat& seat = *meeting.seats[item.seat];
    if (!seat.arrived) {
        sanitize::join(stream.order.clock, item.host);
        seat.arrived = timeline_.record(stream.id, item.issued);
        seat.work = work_of(
            seat.stream, seat.call, fmt::format("{} of rank {}", seat.call.name, meeting.ranks[item.seat]));
        any = true;
    }
    if (!meeting.done && meeting.complete()) {
        conclude(meeting);
    }
    if (!meeting.done) {
        return false;
    }
    for (const auto& other : meeting.seats) {
        sanitize::join(stream.order.clock, other->work.clock);
    }
    stream.items.pop_front();
    return true;
}

/// All ranks have come: puts the call on the timeline.
void ProgramStreams::conclude(Meeting& meeting) {
    meeting.done = true;
    std::vector<node::HostTimeline::Rank> ranks;
    for (const std::size_t seat : meeting.order()) {
        const Meeting::Seat& rank = *meeting.seats[seat];
        ranks.push_back({at(rank.stream).id, rank.issued, *rank.arrived});
    }
    std::vector<program::ExchangePart> parts;
    for (const auto& seat : meeting.seats) {
        parts.push_back(seat->part);
    }
    timeline_.collective(
        ranks,
        meeting.collective(),
        [this, parts = std::move(parts), seats = meeting.seats, effect = meeting.what.effect] {
            for (const auto& seat : seats) {
                devices_.note_exchange(seat->work, seat->call, seat->part);
            }
            effect(parts);
        });
}

}  // namespace ascendsim::runtime
