// SPDX-License-Identifier: Apache-2.0
// Events of a host program: their records, and streams that wait for them.
#include <utility>

#include "runtime/session/program/program_streams.hpp"

namespace ascendsim::runtime {

using program::CallPlace;
using program::EventNumber;
using program::GraphTaskKind;
using program::StreamNumber;

EventNumber ProgramStreams::create_event(bool captures) {
    events_.push_back({.captures = captures, .visible = false, .records = {}});
    return static_cast<EventNumber>(events_.size() - 1);
}

EventNumber ProgramStreams::create_flag() {
    const EventNumber event = create_event(false);
    at(event).flag = true;
    return event;
}

bool ProgramStreams::is_flag(EventNumber event) const {
    return events_.at(static_cast<std::size_t>(event)).flag;
}

void ProgramStreams::record(EventNumber event, StreamNumber stream, const CallPlace& call) {
    threads_.take_turn();
    next_poll_us_ = 0;
    if (at(event).flag) {
        timeline_.run_by(devices_);  // when it is set decides what goes on
        if (!capture(stream, {.kind = GraphTaskKind::flag_record, .call = call, .name = {}, .flag = event})) {
            add_flag_record(stream, event, call, timeline_.issue(host_call(call)));
            advance_all();
        }
        return;
    }
    at(event).graph.reset();
    if (const std::optional<program::GraphNumber> graph = capture_of(stream)) {
        const auto slot = static_cast<std::uint32_t>(at(*graph).slots.size());
        at(*graph).slots.push_back(create_event(true));
        at(event).graph = graph;
        at(event).slot = slot;
        capture(stream, {.kind = GraphTaskKind::record, .call = call, .name = {}, .slot = slot});
        return;
    }
    add_record(stream, event, call, timeline_.issue(host_call(call)));
    if (advance(at(stream))) {
        advance_all();
    }
}

/// The place of a record that is still to come among those of `event`.
std::size_t ProgramStreams::add_visible(EventNumber event, StreamNumber stream, const CallPlace& call) {
    Event& of = at(event);
    of.records.push_back({stream, place_of(call), {}, {}});
    of.visible = true;
    return of.records.size() - 1;
}

void ProgramStreams::add_record(StreamNumber stream,
                                EventNumber event,
                                const CallPlace& call,
                                const Point& issued) {
    const std::size_t place = add_visible(event, stream, call);
    add_item(stream, call, issued, [this, event, place](StreamNumber on, const Point& from) {
        const Point point = timeline_.record(at(on).id, from);
        at(event).records[place].point = point;
        at(event).records[place].clock = at(on).order.clock;
        return point;
    });
}

/// The record comes for whoever asks, and sets the flag for those that wait when its stream comes to it.
void ProgramStreams::add_flag_record(StreamNumber stream,
                                     EventNumber event,
                                     const CallPlace& call,
                                     const Point& issued) {
    const std::size_t place = add_visible(event, stream, call);
    add_item(stream, call, issued, [this, event, place](StreamNumber on, const Point& from) {
        const sanitize::StreamClock clock = at(on).order.clock;
        at(event).records[place].clock = clock;
        at(event).records[place].point = timeline_.record(at(on).id, from, [this, event, clock] {
            at(event).up = true;
            at(event).up_clock = clock;
        });
        return *at(event).records[place].point;
    });
}

void ProgramStreams::add_flag_wait(
    StreamNumber stream, EventNumber event, bool resets, const CallPlace& call, const Point& issued) {
    add_look(stream, call, issued, {.flag = event, .resets = resets});
}

void ProgramStreams::wait_for_flag(StreamNumber stream,
                                   EventNumber event,
                                   bool resets,
                                   const CallPlace& call) {
    timeline_.run_by(devices_);  // when it is set decides what goes on
    if (!capture(
            stream,
            {.kind = GraphTaskKind::flag_wait, .call = call, .name = {}, .flag = event, .resets = resets})) {
        add_flag_wait(stream, event, resets, call, timeline_.issue(host_call(call)));
        static_cast<void>(advance(at(stream)));
    }
}

void ProgramStreams::wait_and_reset(StreamNumber stream, EventNumber flag, const CallPlace& call) {
    threads_.take_turn();
    next_poll_us_ = 0;
    wait_for_flag(stream, flag, true, call);
}

void ProgramStreams::add_flag_reset(StreamNumber stream,
                                    EventNumber event,
                                    const CallPlace& call,
                                    const Point& issued) {
    add_item(stream, call, issued, [this, event](StreamNumber on, const Point& from) {
        return timeline_.record(at(on).id, from, [this, event] { at(event).up = false; });
    });
}

void ProgramStreams::wait(StreamNumber stream, EventNumber event, const CallPlace& call) {
    threads_.take_turn();
    next_poll_us_ = 0;
    Event& of = at(event);
    if (of.flag) {
        wait_for_flag(stream, event, false, call);
        return;
    }
    if (of.graph) {
        join_capture(stream, *of.graph);
        capture(stream, {.kind = GraphTaskKind::wait, .call = call, .name = {}, .slot = of.slot});
        return;
    }
    if (!of.visible && of.captures) {
        return;  // nothing to wait for
    }
    add_wait(stream, event, call, timeline_.issue(host_call(call)));
    static_cast<void>(advance(at(stream)));
}

void ProgramStreams::add_wait(StreamNumber stream,
                              EventNumber event,
                              const CallPlace& call,
                              const Point& issued) {
    const Event& of = at(event);
    count(at(stream));
    at(stream).items.push_back({.place = place_of(call),
                                .issued = issued,
                                .host = host_.clock,
                                .work = {},
                                .event = event,
                                .record = of.visible ? of.records.size() - 1 : of.records.size()});
}

void ProgramStreams::reset(EventNumber event, StreamNumber stream, const CallPlace& call) {
    if (!at(event).flag) {
        at(event).visible = false;
        return;
    }
    threads_.take_turn();
    next_poll_us_ = 0;
    if (!capture(stream, {.kind = GraphTaskKind::flag_reset, .call = call, .name = {}, .flag = event})) {
        add_flag_reset(stream, event, call, timeline_.issue(host_call(call)));
        static_cast<void>(advance(at(stream)));
    }
}

const ProgramStreams::Record* ProgramStreams::record_of(const Item& item) {
    const Event& event = at(item.event.value());
    return item.record < event.records.size() ? &event.records[item.record] : nullptr;
}

/// False if the record that the stream waits for is still to come.
bool ProgramStreams::advance_wait(Stream& stream) {
    const Item& item = stream.items.front();
    const Record* record = record_of(item);
    if (record == nullptr || !record->point) {
        return false;
    }
    timeline_.wait(stream.id, item.issued, *record->point);
    sanitize::join(stream.order.clock, item.host);
    sanitize::join(stream.order.clock, record->clock);
    stream.items.pop_front();
    return true;
}

}  // namespace ascendsim::runtime
