// SPDX-License-Identifier: Apache-2.0
// What host threads wait for while others go on, functions of the host that streams come to, and values in
// device memory that streams wait for.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "runtime/session/program/program_streams.hpp"

namespace ascendsim::runtime {

using program::CallPlace;
using program::EventNumber;
using program::ReportQueue;
using program::StreamNumber;
using program::WaitResult;

std::optional<node::Picoseconds> ProgramStreams::deadline(std::optional<double> timeout_us) {
    return timeout_us ? std::optional{timeline_.now() + node::picoseconds(*timeout_us)} : std::nullopt;
}

/// Comes when a point does that may not be on the timeline yet.
ProgramThreads::Come ProgramStreams::coming(std::function<const std::optional<Point>*()> what) {
    return [this, what = std::move(what)]() -> std::optional<node::Picoseconds> {
        const std::optional<Point>* point = what();
        return point != nullptr && *point && timeline_.knows(**point) ? std::optional{timeline_.time(**point)}
                                                                      : std::nullopt;
    };
}

/// Puts a fence behind what each stream has, as other threads may put more there while this one waits.
WaitResult ProgramStreams::wait_among_threads(std::span<const StreamNumber> streams,
                                              const CallPlace& call,
                                              std::optional<double> timeout_us) {
    std::vector<std::shared_ptr<Fence>> fences;
    std::vector<StreamNumber> awaited;
    for (const StreamNumber stream : streams) {
        Stream& of = at(stream);
        if (of.items.empty() && timeline_.comes(of.id, timeline_.now())) {
            continue;
        }
        const auto fence = std::make_shared<Fence>();
        of.items.push_back({.place = place_of(call),
                            .issued = timeline_.done_by_thread(),
                            .host = host_.clock,
                            .work =
                                [this, fence](StreamNumber on, const Point& issued) {
                                    fence->point = timeline_.record(at(on).id, issued);
                                    return *fence->point;
                                },
                            .event = {},
                            .fence = fence});
        static_cast<void>(advance(of));
        fences.push_back(fence);
        awaited.push_back(stream);
    }
    const auto dropped = [&] { return std::ranges::any_of(fences, &Fence::dropped); };
    const bool came = fences.empty() ||
                      threads_.wait(
                          [&]() -> std::optional<node::Picoseconds> {
                              node::Picoseconds latest = timeline_.now();
                              for (const auto& fence : fences) {
                                  if (fence->dropped) {
                                      return latest;
                                  }
                                  if (!fence->point || !timeline_.knows(*fence->point)) {
                                      return std::nullopt;
                                  }
                                  latest = std::max(latest, timeline_.time(*fence->point));
                              }
                              return latest;
                          },
                          host_call(call),
                          deadline(timeout_us),
                          [&] {
                              const auto stuck = std::ranges::find_if(
                                  awaited, [&](StreamNumber stream) { return !at(stream).items.empty(); });
                              return fmt::format("waits in {} at {} for streams that can never end:{}",
                                                 call.name,
                                                 line_of(call),
                                                 stuck == awaited.end() ? "" : why_stuck(*stuck));
                          });
    if (dropped()) {
        return WaitResult::aborted;
    }
    if (!came) {
        return WaitResult::timed_out;
    }
    std::vector<Point> points;
    for (std::size_t i = 0; i < fences.size(); ++i) {
        points.push_back(*fences[i]->point);
        sanitize::join(host_.clock, at(awaited[i]).order.clock);
    }
    timeline_.wake_behind(points, host_call(call));
    return WaitResult::ended;
}

WaitResult ProgramStreams::wait_among_threads(EventNumber event,
                                              const CallPlace& call,
                                              std::optional<double> timeout_us) {
    const std::size_t wanted = at(event).visible ? at(event).records.size() - 1 : at(event).records.size();
    const auto point = [this, event, wanted]() -> const std::optional<Point>* {
        const std::vector<Record>& records = at(event).records;
        return wanted < records.size() ? &records[wanted].point : nullptr;
    };
    const bool came = threads_.wait(coming(point), host_call(call), deadline(timeout_us), [&] {
        return fmt::format(
            "waits in {} at {} for an event that {}", call.name, line_of(call), no_record(event));
    });
    if (!came) {
        return WaitResult::timed_out;
    }
    sanitize::join(host_.clock, at(event).records[wanted].clock);
    timeline_.wake_behind({*at(event).records[wanted].point}, host_call(call));
    return WaitResult::ended;
}

void ProgramStreams::call_back(StreamNumber stream,
                               const CallPlace& call,
                               ReportQueue queue,
                               std::function<void()> function,
                               bool blocks) {
    timeline_.run_by(devices_);  // when the stream comes to it decides when it runs
    threads_.take_turn();
    next_poll_us_ = 0;
    const Callback callback{queue, std::move(function), blocks};
    if (capture(stream,
                {.kind = program::GraphTaskKind::callback, .call = call, .name = {}, .callback = callback})) {
        return;
    }
    add_callback(stream, callback, call, timeline_.issue(host_call(call)));
    if (advance(at(stream))) {
        advance_all();
    }
}

void ProgramStreams::add_callback(StreamNumber stream,
                                  const Callback& callback,
                                  const CallPlace& call,
                                  const Point& issued) {
    const auto report = std::make_shared<Report>();
    report->function = callback.function;
    report->call = call;
    add_item(
        stream, call, issued, [this, queue = callback.queue, report](StreamNumber on, const Point& from) {
            report->clock = at(on).order.clock;
            report->reached = timeline_.record(
                at(on).id, from, [this, queue, report] { reports_[queue].push_back(report); });
            return report->reached;
        });
    if (callback.blocks) {
        at(stream).items.push_back({.place = place_of(call),
                                    .issued = issued,
                                    .host = host_.clock,
                                    .work = {},
                                    .event = {},
                                    .report = report});
    }
}

/// False while the function has not returned.
bool ProgramStreams::advance_report(Stream& stream) {
    const Item& item = stream.items.front();
    if (!item.report->done) {
        return false;
    }
    timeline_.wait(stream.id, item.issued, *item.report->done);
    sanitize::join(stream.order.clock, host_.clock);
    stream.items.pop_front();
    return true;
}

bool ProgramStreams::process_report(ReportQueue queue,
                                    const CallPlace& call,
                                    std::optional<double> timeout_us) {
    threads_.take_turn();
    const auto why = [&] {
        return fmt::format(
            "waits in {} at {} for a callback that no stream comes to", call.name, line_of(call));
    };
    std::deque<std::shared_ptr<Report>>& waiting = reports_[queue];
    const std::optional<node::Picoseconds> until = deadline(timeout_us);
    if (threads_.several()) {
        const bool came = threads_.wait(
            [&]() -> std::optional<node::Picoseconds> {
                return waiting.empty() ? std::nullopt
                                       : std::optional{timeline_.time(waiting.front()->reached)};
            },
            host_call(call),
            until,
            why);
        if (!came) {
            return false;
        }
    } else {
        while (waiting.empty() && timeline_.step(until)) {
        }
        if (waiting.empty() && !until) {
            throw Deadlock{"{}: deadlock: main {}", line_of(call), why()};
        }
        if (waiting.empty()) {
            timeline_.pass(host_call(call), *timeout_us);
            return false;
        }
    }
    const std::shared_ptr<Report> report = std::move(waiting.front());
    waiting.pop_front();
    run(*report);
    return true;
}

/// On the current thread, behind the stream's coming to it.
void ProgramStreams::run(Report& report) {
    if (threads_.several()) {
        timeline_.wake_behind({report.reached}, host_call(report.call));
    } else {
        timeline_.synchronise(report.reached, host_call(report.call));
    }
    sanitize::join(host_.clock, report.clock);
    report.function();
    report.done = timeline_.done_by_thread();
    advance_all();
}

void ProgramStreams::retire(StreamNumber stream, const CallPlace& call) {
    threads_.take_turn();
    const bool busy = !at(stream).items.empty() || !timeline_.comes(at(stream).id, timeline_.now());
    if (timeline_.runs() && busy) {
        static_cast<void>(synchronise(stream, call, std::nullopt));
    } else {
        sanitize::join(host_.clock, at(stream).order.clock);
    }
}

/// What the device has begun, or has been given, goes on to its end: only what still waits is taken away.
void ProgramStreams::abort(StreamNumber stream, const CallPlace& call) {
    threads_.take_turn();
    timeline_.pass(host_call(call), timeline_.host().launch_us);
    std::deque<Item>& items = at(stream).items;
    for (const Item& item : items) {
        if (item.fence) {
            item.fence->dropped = true;
        }
        if (item.look) {
            --looking_;
            item.look->dropped = true;
            std::erase(looks_, item.look);
        }
    }
    items.clear();
}

void ProgramStreams::wait_for_value(StreamNumber stream, const CallPlace& call, program::ValueWait what) {
    threads_.take_turn();
    next_poll_us_ = 0;
    timeline_.run_by(devices_);  // when the value is there decides what goes on
    add_look(stream, call, timeline_.issue(host_call(call)), {.what = std::move(what)});
    static_cast<void>(advance(at(stream)));
}

void ProgramStreams::add_look(StreamNumber stream, const CallPlace& call, const Point& issued, Look look) {
    if (looking_ == 0) {
        timeline_.watch(
            [this](const Point& ended, std::optional<node::StreamId> of) { check_looks(ended, of); });
    }
    ++looking_;
    const auto shared = std::make_shared<Look>(std::move(look));
    add_item(stream, call, issued, [this, shared](StreamNumber on, const Point& from) {
        return timeline_.record(at(on).id, from, [this, shared] {
            if (!shared->dropped) {
                looks_.push_back(shared);
            }
        });
    });
    at(stream).items.push_back({.place = place_of(call),
                                .issued = issued,
                                .host = host_.clock,
                                .work = {},
                                .event = {},
                                .look = shared});
}

/// False while the value is not there.
bool ProgramStreams::advance_look(Stream& stream) {
    const Item& item = stream.items.front();
    if (!item.look->done) {
        return false;
    }
    timeline_.wait(stream.id, item.issued, *item.look->done);
    sanitize::join(stream.order.clock, item.host);
    sanitize::join(stream.order.clock, item.look->clock);
    stream.items.pop_front();
    --looking_;
    return true;
}

/// Whether what somebody looks for is there, after work of `stream` has ended. A flag goes to one of those
/// that take it back: the one that came first.
bool ProgramStreams::finds(Look& look, std::optional<node::StreamId> stream) {
    if (!look.flag) {
        const auto by =
            std::ranges::find_if(streams_, [&](const Stream& one) { return stream && one.id == *stream; });
        look.clock = by == streams_.end() ? host_.clock : by->order.clock;
        return look.what.holds();
    }
    Event& event = at(*look.flag);
    look.clock = event.up_clock;
    return look.resets ? std::exchange(event.up, false) : event.up;
}

/// Something has ended that may have brought a value. Streams that find theirs go on behind it, and behind
/// what its stream has done.
void ProgramStreams::check_looks(const Point& ended, std::optional<node::StreamId> stream) {
    bool any = false;
    for (const std::shared_ptr<Look>& look : looks_) {
        if (finds(*look, stream)) {
            look->done = ended;
            any = true;
        }
    }
    if (any) {
        std::erase_if(looks_, [](const std::shared_ptr<Look>& look) { return look->done.has_value(); });
        advance_all();
    }
}

/// While streams wait for values, the host's waiting lets time go on until what it awaits can come.
void ProgramStreams::await_looks(const std::function<bool()>& awaited,
                                 std::optional<node::Picoseconds> until) {
    while (looking_ > 0 && !awaited() && timeline_.step(until)) {
    }
}

}  // namespace ascendsim::runtime
