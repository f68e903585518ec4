// SPDX-License-Identifier: Apache-2.0
#include "runtime/session/program/program_streams.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/core/machine.hpp"

namespace ascendsim::runtime {
namespace {

using program::CallPlace;
using program::EventNumber;
using program::GraphTaskKind;
using program::StreamNumber;
using program::WaitResult;

std::size_t number(StreamNumber stream) {
    return static_cast<std::size_t>(stream);
}

}  // namespace

std::string ProgramStreams::line_of(const CallPlace& call) {
    const std::string_view path{call.site.file};
    if (path.empty()) {
        return {};
    }
    const std::string_view file = path.substr(path.find_last_of('/') + 1);
    return call.site.line == 0 ? std::string{file} : fmt::format("{}:{}", file, call.site.line);
}

std::string ProgramStreams::place_of(const CallPlace& call) {
    const std::string line = line_of(call);
    return line.empty() ? call.name : fmt::format("{} ({})", line, call.name);
}

node::HostCall ProgramStreams::host_call(const CallPlace& call) {
    return {call.name, line_of(call)};
}

ProgramStreams::Stream& ProgramStreams::at(StreamNumber stream) {
    return streams_.at(number(stream));
}

ProgramStreams::Event& ProgramStreams::at(EventNumber event) {
    return events_.at(static_cast<std::size_t>(event));
}

StreamNumber ProgramStreams::add_stream(std::uint32_t device) {
    streams_.push_back({.number = static_cast<StreamNumber>(streams_.size()),
                        .id = timeline_.add_stream(device),
                        .items = {},
                        .order = {}});
    streams_.back().order.lane = static_cast<std::uint32_t>(streams_.size());  // the host's is 0
    return static_cast<StreamNumber>(streams_.size() - 1);
}

sanitize::StreamWork ProgramStreams::work_of(Order& order,
                                             const CallPlace& call,
                                             std::string_view what,
                                             const std::string& whose) {
    order.clock.resize(std::max<std::size_t>(order.clock.size(), order.lane + 1));
    order.clock[order.lane] = ++order.count;
    return {.what = fmt::format("{} ({}, {})", what, line_of(call), whose),
            .lane = order.lane,
            .number = order.count,
            .clock = order.clock};
}

sanitize::StreamWork ProgramStreams::work_of(StreamNumber stream,
                                             const CallPlace& call,
                                             std::string_view what) {
    return work_of(at(stream).order, call, what, fmt::format("stream {}", number(stream)));
}

/// With the second stream, when work takes effect begins to matter.
void ProgramStreams::count(Stream& stream) {
    if (!std::exchange(stream.counted, true) && ++counted_ == 2) {
        timeline_.run_by(devices_);
    }
}

StreamNumber ProgramStreams::create_stream(std::uint32_t device, std::uint32_t priority) {
    const StreamNumber stream = add_stream(device);
    at(stream).priority = priority;
    count(at(stream));
    return stream;
}

std::uint32_t ProgramStreams::priority_of(StreamNumber stream) const {
    return streams_.at(number(stream)).priority;
}

void ProgramStreams::set_priority(StreamNumber stream, std::uint32_t priority) {
    at(stream).priority = priority;
}

StreamNumber ProgramStreams::default_stream(std::uint32_t device) {
    const auto known = defaults_.find(device);
    return known != defaults_.end() ? known->second : defaults_[device] = add_stream(device);
}

std::uint32_t ProgramStreams::device_of(StreamNumber stream) const {
    return timeline_.device_of(streams_.at(number(stream)).id);
}

void ProgramStreams::put(
    StreamNumber stream, const CallPlace& call, Work work, GraphTaskKind kind, const std::string& name) {
    threads_.take_turn();
    next_poll_us_ = 0;
    if (capture(stream, {.kind = kind, .call = call, .name = name, .work = work})) {
        return;
    }
    const Point issued = timeline_.issue(
        host_call(call), kind == GraphTaskKind::kernel ? node::IssuedWork::kernel : node::IssuedWork::other);
    add_item(stream, call, issued, std::move(work));
    if (advance(at(stream))) {
        advance_all();
    }
}

void ProgramStreams::add_item(StreamNumber stream, const CallPlace& call, const Point& issued, Work work) {
    count(at(stream));
    at(stream).items.push_back({.place = place_of(call),
                                .issued = issued,
                                .host = host_.clock,
                                .work = std::move(work),
                                .event = {}});
}

void ProgramStreams::launch(StreamNumber stream, const CallPlace& call, Launch launch) {
    launch.priority = at(stream).priority;
    const std::string name = launch.name;
    put(
        stream,
        call,
        [this, call, launch = std::move(launch)](StreamNumber on, const Point& issued) {
            const node::StreamId id = at(on).id;
            sanitize::StreamWork own = work_of(on, call, fmt::format("kernel '{}'", launch.name));
            if (!timeline_.runs()) {
                return timeline_.kernel(id, issued, devices_.execute(device_of(on), launch, std::move(own)));
            }
            return timeline_.kernel(id, issued, devices_.add(device_of(on), launch, std::move(own)));
        },
        GraphTaskKind::kernel,
        name);
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
    const auto work = [this, call, request, effect = std::move(effect)](StreamNumber on,
                                                                        const Point& issued) {
        const node::StreamId id = at(on).id;
        if (!timeline_.runs()) {
            devices_.note_copy(work_of(on, call, call.name), call, request);
            effect();
            return timeline_.copy(id, issued, load_of(request));
        }
        const bool to_host = !request.to;
        return timeline_.copy(id,
                              issued,
                              load_of(request),
                              [this, call, request, effect, to_host, work = work_of(on, call, call.name)] {
                                  devices_.note_copy(work, call, request);
                                  if (!to_host || !host_gone_) {
                                      effect();
                                  }
                              });
    };
    put(stream, call, work, GraphTaskKind::copy);
}

void ProgramStreams::copy_now(std::uint32_t device,
                              const CallPlace& call,
                              const program::CopyRequest& request,
                              const std::function<void()>& effect) {
    threads_.take_turn();
    next_poll_us_ = 0;
    const node::StreamId id = at(default_stream(device)).id;
    if (!timeline_.runs()) {
        // No document says whether the host's copies wait for the default stream: programs may rely on it.
        sanitize::join(host_.clock, at(default_stream(device)).order.clock);
        devices_.note_copy(work_of(host_, call, call.name, "the host"), call, request);
        effect();
    }
    const std::optional<Point> copied = timeline_.copy_now(id, host_call(call), load_of(request));
    if (threads_.several()) {
        threads_.wait(coming([&copied] { return &copied; }), host_call(call), {}, [&call] {
            return fmt::format("waits in {} at {}", call.name, line_of(call));
        });
    }
    if (timeline_.runs()) {
        devices_.note_copy(work_of(host_, call, call.name, "the host"), call, request);
        effect();
    }
    if (looking_ > 0) {
        check_looks(*copied, {});
    }
}

bool ProgramStreams::advance(Stream& stream) {
    bool any = false;
    while (!stream.items.empty()) {
        if (stream.items.front().meeting) {
            if (!advance_meeting(stream, any)) {
                return any;
            }
        } else if (stream.items.front().report) {
            if (!advance_report(stream)) {
                return any;
            }
        } else if (stream.items.front().look) {
            if (!advance_look(stream)) {
                return any;
            }
        } else if (stream.items.front().event) {
            if (!advance_wait(stream)) {
                return any;
            }
        } else {
            const Item item = std::move(stream.items.front());
            stream.items.pop_front();
            sanitize::join(stream.order.clock, item.host);
            item.work(stream.number, item.issued);
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

/// Who is to bring the record that somebody waits for.
std::string ProgramStreams::no_record(EventNumber event) {
    const Event& of = at(event);
    return of.visible ? fmt::format("stream {} is to record at {}:{}",
                                    number(of.records.back().stream),
                                    of.records.back().place,
                                    why_stuck(of.records.back().stream))
                      : std::string{"nothing has recorded"};
}

/// Says what the next work of `stream` waits for, and goes on to the stream that has to bring it.
std::string ProgramStreams::next_wait(StreamNumber& stream, bool& ends) {
    const Item& item = at(stream).items.front();
    std::string text = fmt::format("\n  stream {} waits at {} for ", number(stream), item.place);
    if (item.meeting) {
        std::optional<StreamNumber> next;
        text += item.meeting->missing(next);
        ends = !next;
        stream = next.value_or(stream);
        return text;
    }
    if (item.report) {
        ends = true;
        return text + "the function of the host, which no thread has run";
    }
    if (item.look) {
        ends = true;
        if (!item.look->flag) {
            return text + item.look->what.words;
        }
        return text + (item.look->resets
                           ? "a notify that nothing has recorded, or whose record another wait has taken"
                           : "an event that nothing has recorded, or that was reset since");
    }
    const Record* record = record_of(item);
    ends = record == nullptr;
    if (ends) {
        return text + "an event that nothing has recorded";
    }
    stream = record->stream;
    return text + fmt::format("an event that stream {} is to record at {}", number(stream), record->place);
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
    threads_.take_turn();
    if (threads_.several()) {
        return wait_among_threads(streams, call, timeout_us);
    }
    std::vector<node::StreamId> ids;
    await_looks(
        [&] {
            return std::ranges::all_of(streams,
                                       [&](StreamNumber stream) { return at(stream).items.empty(); });
        },
        deadline(timeout_us));
    for (const StreamNumber stream : streams) {
        if (!at(stream).items.empty() && timeout_us) {
            timeline_.pass(host_call(call), *timeout_us);
            return WaitResult::timed_out;
        }
        if (!at(stream).items.empty()) {
            throw Deadlock{"{}: deadlock: {} waits for streams that can never end:{}",
                           line_of(call),
                           call.name,
                           why_stuck(stream)};
        }
        ids.push_back(at(stream).id);
    }
    const node::Picoseconds until = timeout_us ? timeline_.now() + node::picoseconds(*timeout_us) : 0;
    if (timeout_us &&
        std::ranges::any_of(ids, [&](node::StreamId id) { return !timeline_.comes(id, until); })) {
        timeline_.pass(host_call(call), *timeout_us);
        return WaitResult::timed_out;
    }
    timeline_.synchronise(ids, host_call(call));
    for (const StreamNumber stream : streams) {
        sanitize::join(host_.clock, at(stream).order.clock);
    }
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
    threads_.take_turn();
    const Event& of = at(event);
    if (!of.visible && of.captures) {
        return WaitResult::ended;
    }
    if (threads_.several()) {
        return wait_among_threads(event, call, timeout_us);
    }
    await_looks([&] { return of.visible && at(event).records.back().point; }, deadline(timeout_us));
    const Record* record = of.visible ? &of.records.back() : nullptr;
    if (record == nullptr || !record->point) {
        if (timeout_us) {
            timeline_.pass(host_call(call), *timeout_us);
            return WaitResult::timed_out;
        }
        throw Deadlock{
            "{}: deadlock: {} waits for an event that {}", line_of(call), call.name, no_record(event)};
    }
    if (timeout_us && !timeline_.comes(*record->point, timeline_.now() + node::picoseconds(*timeout_us))) {
        timeline_.pass(host_call(call), *timeout_us);
        return WaitResult::timed_out;
    }
    timeline_.synchronise(*record->point, host_call(call));
    sanitize::join(host_.clock, record->clock);
    return WaitResult::ended;
}

void ProgramStreams::await_idle(const CallPlace& call) {
    await_work(call);
    for (const Stream& stream : streams_) {
        if (stream.items.empty()) {
            sanitize::join(host_.clock, stream.order.clock);
        }
    }
}

void ProgramStreams::await_work(const CallPlace& call) {
    threads_.take_turn();
    if (!threads_.several()) {
        await_looks(
            [&] { return std::ranges::all_of(streams_, [](const Stream& s) { return s.items.empty(); }); },
            {});
    }
    std::vector<node::StreamId> busy;
    std::vector<StreamNumber> numbers;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
        const Stream& stream = streams_[i];
        if (timeline_.runs() && !timeline_.comes(stream.id, timeline_.now())) {
            busy.push_back(stream.id);
            if (stream.items.empty()) {
                numbers.push_back(static_cast<StreamNumber>(i));
            }
        }
    }
    if (threads_.several()) {
        static_cast<void>(wait_among_threads(numbers, call, {}));
    } else if (!busy.empty()) {
        timeline_.synchronise(busy, host_call(call));
    }
}

void ProgramStreams::free_memory(const CallPlace& call, std::uint64_t offset, std::uint64_t bytes) {
    threads_.take_turn();
    devices_.note_free(work_of(host_, call, call.name, "the host"), call, offset, bytes);
    await_work(call);  // on a chip nothing is waited for: the host knows of no more than before
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
    threads_.take_turn();
    if (looking_ > 0) {
        await_looks([&] { return at(stream).items.empty(); }, timeline_.now());
    }
    const bool ended = at(stream).items.empty() && timeline_.comes(at(stream).id, timeline_.now());
    if (ended) {
        sanitize::join(host_.clock, at(stream).order.clock);
    }
    return asked(ended, call);
}

bool ProgramStreams::done(EventNumber event, const CallPlace& call) {
    threads_.take_turn();
    const Event& of = at(event);
    if (!of.visible) {
        return of.captures || asked(false, call);
    }
    if (looking_ > 0) {
        await_looks([&] { return at(event).records.back().point.has_value(); }, timeline_.now());
    }
    const Record& record = at(event).records.back();
    const bool ended = record.point && timeline_.comes(*record.point, timeline_.now());
    if (ended) {
        sanitize::join(host_.clock, record.clock);
    }
    return asked(ended, call);
}

bool ProgramStreams::recorded(EventNumber event) const {
    return events_.at(static_cast<std::size_t>(event)).visible;
}

std::optional<double> ProgramStreams::time_us(EventNumber event) {
    const Event& of = at(event);
    if (!of.visible || !of.records.back().point || !timeline_.knows(*of.records.back().point)) {
        return std::nullopt;
    }
    return node::microseconds(timeline_.time(*of.records.back().point));
}

std::string ProgramStreams::finish() {
    std::string left;
    host_gone_ = true;
    await_looks([] { return false; }, {});
    for (std::size_t i = 0; i < streams_.size() && left.empty(); ++i) {
        if (!streams_[i].items.empty()) {
            left = fmt::format("the program ended while work of stream {} could not start:{}",
                               i,
                               why_stuck(static_cast<StreamNumber>(i)));
        }
    }
    timeline_.finish();
    return left.empty() ? exchanges_.left() : left;
}

}  // namespace ascendsim::runtime
