// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program_streams.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/core/machine.hpp"

namespace ascendsim::runtime {
namespace {

using program::CallPlace;
using program::EventNumber;
using program::StreamNumber;
using program::WaitResult;

std::string line_of(const CallPlace& call) {
    const std::string_view file{call.site.file};
    return fmt::format("{}:{}", file.substr(file.find_last_of('/') + 1), call.site.line);
}

std::string place_of(const CallPlace& call) {
    return fmt::format("{} ({})", line_of(call), call.name);
}

node::HostCall host_call(const CallPlace& call) {
    return {call.name, line_of(call)};
}

std::size_t number(StreamNumber stream) {
    return static_cast<std::size_t>(stream);
}

}  // namespace

ProgramStreams::Stream& ProgramStreams::at(StreamNumber stream) {
    return streams_.at(number(stream));
}

ProgramStreams::Event& ProgramStreams::at(EventNumber event) {
    return events_.at(static_cast<std::size_t>(event));
}

StreamNumber ProgramStreams::create_stream(std::uint32_t device) {
    streams_.push_back({timeline_.add_stream(device), {}});
    return static_cast<StreamNumber>(streams_.size() - 1);
}

StreamNumber ProgramStreams::default_stream(std::uint32_t device) {
    const auto known = defaults_.find(device);
    return known != defaults_.end() ? known->second : defaults_[device] = create_stream(device);
}

std::uint32_t ProgramStreams::device_of(StreamNumber stream) const {
    return timeline_.device_of(streams_.at(number(stream)).id);
}

void ProgramStreams::put(StreamNumber stream, const CallPlace& call, Work work) {
    next_poll_us_ = 0;
    Stream& of = at(stream);
    of.items.push_back({.place = place_of(call),
                        .issued = timeline_.issue(host_call(call)),
                        .work = std::move(work),
                        .event = {}});
    if (advance(of)) {
        advance_all();
    }
}

void ProgramStreams::launch(StreamNumber stream,
                            const CallPlace& call,
                            std::function<node::KernelLoad()> run) {
    put(stream, call, [this, stream, run = std::move(run)](const Point& issued) {
        return timeline_.kernel(at(stream).id, issued, run());
    });
}

node::CopyLoad ProgramStreams::load_of(const program::CopyRequest& request) const {
    constexpr double bytes_per_us = 1e3;  // of 1 GB/s
    return {.from = request.from,
            .to = request.to,
            .bytes = request.bytes,
            .pinned = request.pinned,
            .in_device_us = static_cast<double>(request.bytes) / memory_gb_per_s_ / bytes_per_us};
}

void ProgramStreams::copy(StreamNumber stream,
                          const CallPlace& call,
                          const program::CopyRequest& request,
                          std::function<void()> effect) {
    put(stream, call, [this, stream, request, effect = std::move(effect)](const Point& issued) {
        effect();
        return timeline_.copy(at(stream).id, issued, load_of(request));
    });
}

void ProgramStreams::copy_now(std::uint32_t device,
                              const CallPlace& call,
                              const program::CopyRequest& request) {
    next_poll_us_ = 0;
    timeline_.copy_now(at(default_stream(device)).id, host_call(call), load_of(request));
}

EventNumber ProgramStreams::create_event(bool captures) {
    events_.push_back({.captures = captures, .visible = false, .records = {}});
    return static_cast<EventNumber>(events_.size() - 1);
}

void ProgramStreams::record(EventNumber event, StreamNumber stream, const CallPlace& call) {
    Event& of = at(event);
    const std::size_t place = of.records.size();
    of.records.push_back({stream, place_of(call), {}});
    of.visible = true;
    put(stream, call, [this, event, stream, place](const Point& issued) {
        const Point point = timeline_.record(at(stream).id, issued);
        at(event).records[place].point = point;
        return point;
    });
}

void ProgramStreams::wait(StreamNumber stream, EventNumber event, const CallPlace& call) {
    next_poll_us_ = 0;
    Event& of = at(event);
    if (!of.visible && of.captures) {
        return;  // nothing to wait for
    }
    at(stream).items.push_back({.place = place_of(call),
                                .issued = timeline_.issue(host_call(call)),
                                .work = {},
                                .event = event,
                                .record = of.visible ? of.records.size() - 1 : of.records.size()});
    static_cast<void>(advance(at(stream)));
}

void ProgramStreams::reset(EventNumber event) {
    at(event).visible = false;
}

const ProgramStreams::Record* ProgramStreams::record_of(const Item& item) {
    const Event& event = at(item.event.value());
    return item.record < event.records.size() ? &event.records[item.record] : nullptr;
}

bool ProgramStreams::advance(Stream& stream) {
    bool any = false;
    while (!stream.items.empty()) {
        if (stream.items.front().event) {
            const Record* record = record_of(stream.items.front());
            if (record == nullptr || !record->point) {
                return any;
            }
            timeline_.wait(stream.id, stream.items.front().issued, *record->point);
            stream.items.pop_front();
        } else {
            const Item item = std::move(stream.items.front());
            stream.items.pop_front();
            item.work(item.issued);
        }
        any = true;
    }
    return any;
}

void ProgramStreams::advance_all() {
    for (bool any = true; any;) {
        any = false;
        for (Stream& stream : streams_) {
            any = advance(stream) || any;
        }
    }
}

/// Says what the next work of `stream` waits for, and goes on to the stream that has to bring it.
std::string ProgramStreams::next_wait(StreamNumber& stream, bool& ends) {
    const Item& item = at(stream).items.front();
    const Record* record = record_of(item);
    std::string text =
        fmt::format("\n  stream {} waits at {} for an event that ", number(stream), item.place);
    ends = record == nullptr;
    if (ends) {
        return text + "nothing has recorded";
    }
    stream = record->stream;
    return text + fmt::format("stream {} is to record at {}", number(stream), record->place);
}

std::string ProgramStreams::why_stuck(StreamNumber first) {
    std::string text;
    std::vector<StreamNumber> seen;
    bool ends = false;
    for (StreamNumber at_stream = first; !ends && std::ranges::find(seen, at_stream) == seen.end();) {
        seen.push_back(at_stream);
        text += next_wait(at_stream, ends);
    }
    return text;
}

WaitResult ProgramStreams::wait_for(std::span<const StreamNumber> streams,
                                    const CallPlace& call,
                                    std::optional<double> timeout_us) {
    std::vector<node::StreamId> ids;
    node::Picoseconds end = 0;
    for (const StreamNumber stream : streams) {
        if (!at(stream).items.empty()) {
            if (timeout_us) {
                timeline_.pass(host_call(call), *timeout_us);
                return WaitResult::timed_out;
            }
            throw Deadlock{"{}: deadlock: {} waits for streams that can never end:{}",
                           line_of(call),
                           call.name,
                           why_stuck(stream)};
        }
        ids.push_back(at(stream).id);
        end = timeout_us ? std::max(end, timeline_.end_of(ids.back())) : 0;
    }
    if (timeout_us && end > timeline_.now() + node::picoseconds(*timeout_us)) {
        timeline_.pass(host_call(call), *timeout_us);
        return WaitResult::timed_out;
    }
    timeline_.synchronise(ids, host_call(call));
    return WaitResult::ended;
}

WaitResult ProgramStreams::synchronise(StreamNumber stream,
                                       const CallPlace& call,
                                       std::optional<double> timeout_us) {
    return wait_for(std::array{stream}, call, timeout_us);
}

WaitResult ProgramStreams::synchronise_device(std::uint32_t device,
                                              const CallPlace& call,
                                              std::optional<double> timeout_us) {
    std::vector<StreamNumber> streams;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        if (device_of(static_cast<StreamNumber>(i)) == device) {
            streams.push_back(static_cast<StreamNumber>(i));
        }
    }
    return wait_for(streams, call, timeout_us);
}

WaitResult ProgramStreams::synchronise(EventNumber event,
                                       const CallPlace& call,
                                       std::optional<double> timeout_us) {
    const Event& of = at(event);
    if (!of.visible && of.captures) {
        return WaitResult::ended;
    }
    const Record* record = of.visible ? &of.records.back() : nullptr;
    if (record == nullptr || !record->point) {
        if (timeout_us) {
            timeline_.pass(host_call(call), *timeout_us);
            return WaitResult::timed_out;
        }
        throw Deadlock{"{}: deadlock: {} waits for an event that {}",
                       line_of(call),
                       call.name,
                       record == nullptr ? "nothing has recorded"
                                         : fmt::format("stream {} is to record at {}:{}",
                                                       number(record->stream),
                                                       record->place,
                                                       why_stuck(record->stream))};
    }
    if (timeout_us && timeline_.time(*record->point) > timeline_.now() + node::picoseconds(*timeout_us)) {
        timeline_.pass(host_call(call), *timeout_us);
        return WaitResult::timed_out;
    }
    timeline_.synchronise(*record->point, host_call(call));
    return WaitResult::ended;
}

/// Each answer "not yet" takes the host twice as long as the one before.
bool ProgramStreams::asked(bool done, const CallPlace& call) {
    if (!done) {
        next_poll_us_ = std::max(timeline_.host().launch_us, 2 * next_poll_us_);
        timeline_.pass(host_call(call), next_poll_us_);
    }
    return done;
}

bool ProgramStreams::done(StreamNumber stream, const CallPlace& call) {
    return asked(at(stream).items.empty() && timeline_.end_of(at(stream).id) <= timeline_.now(), call);
}

bool ProgramStreams::done(EventNumber event, const CallPlace& call) {
    const Event& of = at(event);
    if (!of.visible) {
        return of.captures || asked(false, call);
    }
    const std::optional<Point>& point = of.records.back().point;
    return asked(point && timeline_.time(*point) <= timeline_.now(), call);
}

bool ProgramStreams::recorded(EventNumber event) const {
    return events_.at(static_cast<std::size_t>(event)).visible;
}

std::optional<double> ProgramStreams::time_us(EventNumber event) {
    const Event& of = at(event);
    if (!of.visible || !of.records.back().point) {
        return std::nullopt;
    }
    return node::microseconds(timeline_.time(*of.records.back().point));
}

std::string ProgramStreams::finish() {
    std::string left;
    for (std::size_t i = 0; i < streams_.size() && left.empty(); ++i) {
        if (!streams_[i].items.empty()) {
            left = fmt::format("the program ended while work of stream {} could not start:{}",
                               i,
                               why_stuck(static_cast<StreamNumber>(i)));
        }
    }
    timeline_.finish();
    return left;
}

}  // namespace ascendsim::runtime
