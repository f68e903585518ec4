// SPDX-License-Identifier: Apache-2.0
// The scalar unit's side of a core's clocks: issue, back-pressure, what it waits for itself. The pipes are in
// timeline_pipes.cpp.
#include "models/timeline/timeline.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "models/isa/sync/inserted.hpp"
#include "models/port/call_mark.hpp"
#include "models/port/polled_flag.hpp"
#include "models/timeline/timeline_spans.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::uint64_t longest_scalar_span =
    4096;  // cycles; keeps the picture of a running simulation current

std::uint32_t depth_of(const ChipSpec& chip, Pipe pipe) {
    return pipe == Pipe::vector ? chip.scalar.queue_depth_other : chip.scalar.queue_depth;
}

}  // namespace

Timeline::Timeline(const ChipSpec& chip, record::Recorder& recorder, TimelineHost& host)
    : chip_{chip},
      recorder_{recorder},
      host_{host},
      queues_{PipeQueue{1},
              PipeQueue{depth_of(chip, Pipe::vector)},
              PipeQueue{depth_of(chip, Pipe::cube)},
              PipeQueue{depth_of(chip, Pipe::mte1)},
              PipeQueue{depth_of(chip, Pipe::mte2)},
              PipeQueue{depth_of(chip, Pipe::mte3)},
              PipeQueue{depth_of(chip, Pipe::fixpipe)}},
      scalar_op_number_{recorder.op("scalar")} {
    lanes_.fill(record::SpanId::no_lane);
}

void Timeline::begin(std::uint64_t cycle) {
    for (PipeQueue& queue : queues_) {
        queue.reset();
        queue.free = cycle;
        queue.complete = cycle;
        queue.complete_by = {};
        queue.in_transfer = false;
    }
    flags_.clear();
    scalar_ = cycle + chip_.scalar.init_cycles;
    busy_from_ = cycle;
    busy_site_ = {};
    scalar_arrived_ = scalar_loading_ = scalar_loaded_ = fetching_ = false;
    blocked_ = nullptr;
    preloads_ = {};
    line_arrives_ = 0;
}

std::size_t Timeline::consume(std::span<const Op> ops) {
    run();
    std::size_t taken = 0;
    for (const Op& op : ops) {
        if (!take(op)) {
            blocked_ = &op;
            return taken;
        }
        ++taken;
    }
    blocked_ = nullptr;
    return taken;
}

bool Timeline::take(const Op& op) {
    if (op.kind == isa::OpKind::buffer) [[unlikely]] {
        op.b == isa::call_mark ? call_mark(op) : scalar_news(op);
        if (times_ != nullptr) {
            times_->reached(scalar_);
            times_->done(scalar_);
        }
        return true;  // no instruction
    }
    if (code_ && !code_here(op)) [[unlikely]] {
        return false;
    }
    return calls_ > 0 ? take_placed(placed(op)) : take_placed(op);
}

/// An operation within a call of the framework's has a place of its own for each line that calls.
Timeline::Op Timeline::placed(const Op& op) {
    Op result = op;
    if (caller_.line != 0 && op.site.line != 0) {
        result.site.file = called_places_.file(op.site, caller_);
    }
    return result;
}

void Timeline::call_mark(const Op& op) {
    if (op.a == 0) {
        calls_ -= calls_ > 0 ? 1U : 0U;
        return;
    }
    if (calls_++ == 0) {
        caller_ = op.site;
    }
}

bool Timeline::take_placed(const Op& op) {
    if (line_arrives_ != 0 && op.kind != isa::OpKind::scalar_work && op.kind != isa::OpKind::scalar_load)
        [[unlikely]] {
        await_line(op);
    }
    const bool own = op.pipe == Pipe::scalar;
    if (own && times_ != nullptr) [[unlikely]] {
        times_->reached(scalar_);
    }
    const bool done = own ? scalar_op(op) : dispatch(op);
    if (done) {
        ++issued_;
        if (own && times_ != nullptr) [[unlikely]] {
            times_->done(scalar_);
        }
    }
    return done;
}

void Timeline::scalar_news(const Op& op) {
    const auto holder = static_cast<Pipe>(op.a);
    const bool ends = op.step == isa::BufferStep::died;
    news(op, ends && holder != Pipe::scalar ? std::max(scalar_, queue(holder).complete) : scalar_);
}

void Timeline::news(const Op& op, std::uint64_t cycle) {
    if (op.step != isa::BufferStep::none && lives_) {
        lives_->step(op, cycle);
    }
}

bool Timeline::dispatch(const Op& op) {
    PipeQueue& queue = queues_[index(op.pipe)];
    if (!queue.room_known()) {
        return false;
    }
    scalar_busy(op, op.scalar + chip_.scalar.issue_cycles);
    if (const std::uint64_t room = queue.room_at(); room > scalar_) {
        scalar_pause(op, room, record::Reason::queue_full, queue.room_by());
    }
    if (times_ != nullptr) [[unlikely]] {
        times_->queued(op.pipe, scalar_);
    }
    if (!queue.empty() || op.kind == isa::OpKind::transfer) {
        queue.push(op, scalar_);
        if (!queue.in_transfer && op.kind == isa::OpKind::transfer) {
            mark_runnable(op.pipe);
        }
    } else {
        queue.pass();
        if (!start(op.pipe, op, scalar_)) {
            queue.unpass();
            queue.push(op, scalar_);
        }
    }
    run();
    return true;
}

void Timeline::scalar_busy(const Op& op, std::uint64_t cycles) {
    if (busy_from_ == scalar_) {
        busy_site_ = op.site;
    }
    scalar_ += cycles;
    if (scalar_ - busy_from_ >= longest_scalar_span) {
        flush_scalar();
    }
}

record::SpanId Timeline::scalar_span() {
    if (scalar_ == busy_from_) {
        return last_scalar_;
    }
    const std::uint32_t site = site_number(busy_site_);
    const std::uint32_t lane = lanes_[index(Pipe::scalar)];
    return {lane, recorder_.spans(lane), record::what_of(scalar_op_number_, site)};
}

void Timeline::flush_scalar() {
    if (scalar_ == busy_from_) {
        return;
    }
    last_scalar_ = append(Pipe::scalar,
                          {.issue = busy_from_,
                           .start = busy_from_,
                           .end = scalar_,
                           .complete = scalar_,
                           .op = scalar_op_number_,
                           .site = site_number(busy_site_)});
    busy_from_ = scalar_;
}

void Timeline::scalar_pause(const Op& op,
                            std::uint64_t until,
                            record::Reason reason,
                            record::SpanId culprit) {
    flush_scalar();
    record::Span span = base_span(op, scalar_);
    span.bytes = 0;
    span.work = 0;
    span.conflict = 0;
    if (op.step != isa::BufferStep::none) {  // a flag, whose buffer is not what it waits for
        span.offset = 0;
        span.memory = 0;
    }
    span.start = scalar_;
    span.end = until;
    span.complete = until;
    span.reason = reason;
    span.culprit = culprit;
    span.inside = isa::is_polled(op) || reason == record::Reason::memory;  // a load has begun
    last_scalar_ = append(Pipe::scalar, span);
    scalar_ = until;
    busy_from_ = until;
}

void Timeline::hold(const Op& op, std::uint64_t cycle) {
    if (cycle > scalar_) {
        scalar_pause(op, cycle, record::Reason::cross_core, {});
    }
}

bool Timeline::scalar_op(const Op& op) {
    switch (op.kind) {
        case isa::OpKind::wait_flag:
            return scalar_wait(op);
        case isa::OpKind::barrier_all:
            return scalar_barrier_all(op);
        case isa::OpKind::sync_all:
            return scalar_sync_all(op);
        case isa::OpKind::scalar_load:
            return scalar_load(op);
        case isa::OpKind::cross_wait:
            return scalar_cross_wait(op);
        case isa::OpKind::cross_set:
            scalar_busy(op, op.scalar + chip_.sync.set_cycles);
            host_.cross_arrive(
                op.a, op.id, {scalar_ + chip_.sync.cross_flag_latency, scalar_span()}, op.site);
            return true;
        case isa::OpKind::set_flag:
            scalar_busy(op, op.scalar + chip_.sync.set_cycles);
            news(op, scalar_);
            raise(op, scalar_ + chip_.sync.flag_latency, scalar_span());
            run();
            return true;
        case isa::OpKind::scalar_work:
        case isa::OpKind::system_cycle:
        case isa::OpKind::barrier:
        case isa::OpKind::compute:
        case isa::OpKind::transfer:
        case isa::OpKind::buffer:
            scalar_busy(op, op.scalar + op.occupies);
            return true;
    }
    return true;
}

bool Timeline::scalar_cross_wait(const Op& op) {
    const std::optional<Raise> raise = host_.cross_take(op.a, op.id, scalar_ + op.scalar);
    if (!raise) {
        return false;
    }
    scalar_busy(op, op.scalar + chip_.sync.wait_cycles);
    if (raise->time > scalar_) {
        scalar_pause(op, raise->time, record::Reason::cross_core, raise->by);
    }
    return true;
}

bool Timeline::scalar_wait(const Op& op) {
    if (!flags_.raised(flag_of(op))) {
        return false;
    }
    const std::uint64_t begin = scalar_;
    scalar_busy(op, op.scalar + chip_.sync.wait_cycles);
    const Raise raise = flags_.take(flag_of(op));
    if (raise.time > scalar_) {
        scalar_pause(op, raise.time, record::Reason::flag_scalar, raise.by);
    }
    if (isa::is_inserted(op.info)) [[unlikely]] {
        inserted_.add(op, scalar_ - begin);
    }
    news(op, scalar_);
    return true;
}

bool Timeline::scalar_barrier_all(const Op& op) {
    if (!settled()) {
        return false;
    }
    scalar_busy(op, op.scalar + chip_.scalar.issue_cycles);
    const PipeQueue& last = *std::ranges::max_element(queues_, {}, &PipeQueue::complete);
    const std::uint64_t until = last.complete + chip_.sync.barrier_cycles;
    if (until > scalar_) {
        scalar_pause(op, until, record::Reason::barrier, last.complete_by);
    }
    return true;
}

bool Timeline::scalar_sync_all(const Op& op) {
    const std::uint32_t mode = op.a == 0 ? CrossFlags::mode_sync_kind : CrossFlags::mode_sync_all;
    if (!scalar_arrived_) {
        if (!settled()) {
            return false;
        }
        scalar_busy(op, op.scalar + chip_.sync.set_cycles);
        const PipeQueue& last = *std::ranges::max_element(queues_, {}, &PipeQueue::complete);
        if (last.complete > scalar_) {
            scalar_pause(op, last.complete, record::Reason::barrier, last.complete_by);
        }
        scalar_arrived_ = true;
        flush_scalar();
        host_.cross_arrive(mode, op.id, {scalar_ + chip_.sync.sync_all_cycles, last_scalar_}, op.site);
    }
    const std::optional<Raise> raise = host_.cross_take(mode, op.id, scalar_);
    if (!raise) {
        return false;
    }
    scalar_arrived_ = false;
    scalar_pause(op, std::max(raise->time, scalar_ + 1), record::Reason::sync_all, raise->by);
    return true;
}

/// The line was asked for earlier. The scalar unit goes on until the next such load, or until it has
/// something to do for others: where it uses the value is not known. So one load may wait while the next line
/// is asked for [data_cache_preload of asc-devkit's samples: 128 cycles for a line, 211 without preloads].
bool Timeline::scalar_arrival(const Op& op) {
    await_line(op);
    scalar_busy(op, op.scalar);
    const Preload& preload = preloads_[op.id % preloads_.size()];
    line_arrives_ = preload.number == op.id ? preload.arrives : 0;
    return true;
}

void Timeline::await_line(const Op& op) {
    const std::uint64_t arrives = std::exchange(line_arrives_, 0);
    if (arrives > scalar_) {
        scalar_pause(op, arrives, record::Reason::memory, {});
    }
}

/// The answer comes when the request has gone out: the scalar unit's clock stays where it is.
void Timeline::preload_started(const Op& op, const TransferResult& result) {
    preloads_[op.latency % preloads_.size()] = {.number = op.latency, .arrives = result.complete};
}

bool Timeline::scalar_load(const Op& op) {
    if (op.a == isa::load_arrives) {
        return scalar_arrival(op);
    }
    if (scalar_loaded_) {
        scalar_loaded_ = false;
        return true;
    }
    if (!scalar_loading_) {
        scalar_busy(op, op.scalar);
        flush_scalar();
        scalar_loading_ = true;
        host_.submit(Pipe::scalar, op, scalar_);
    }
    return false;
}

bool Timeline::code_here(const Op& op) {
    if (fetching_) {
        return false;
    }
    if (code_->holds(named(op).code)) {
        return true;
    }
    flush_scalar();
    fetching_ = true;
    host_.fetch_code(code_->missing(), scalar_);
    return false;
}

bool Timeline::settled() const {
    return !scalar_loading_ && !fetching_ &&
           std::ranges::all_of(queues_, [](const PipeQueue& q) { return q.empty() && !q.in_transfer; });
}

std::uint64_t Timeline::complete() const {
    return std::max(
        {scalar_, line_arrives_, std::ranges::max_element(queues_, {}, &PipeQueue::complete)->complete});
}

std::uint64_t Timeline::finish() {
    flush_scalar();
    flags_.for_each_raised([&](EventFlags::Flag flag, std::uint32_t) {
        if (flag.id >= chip_.sync.flag_ids) {
            return;  // of the hardware, not of the kernel: an L0C left free by the unit flag
        }
        recorder_.event({{"kind", "flag_left_set"},
                         {"lane", lanes_[index(Pipe::scalar)]},
                         {"cycle", complete()},
                         {"text",
                          fmt::format("flag {} from {} to {} was set and never waited for",
                                      flag.id,
                                      name(flag.source),
                                      name(flag.destination))}});
    });
    flags_.clear();
    if (lives_) {
        lives_->end(complete());
    }
    return complete();
}

void Timeline::stop() {
    flush_scalar();
    if (lives_) {
        lives_->end(complete() + 1);  // what was asked for last, and was too much, shows
    }
}

void Timeline::idle_until(std::uint64_t to, record::Reason reason) {
    for (std::size_t p = 0; p < pipe_count; ++p) {
        if (lanes_[p] != record::SpanId::no_lane && lane_end_[p] < to) {
            const std::uint64_t from = lane_end_[p];
            append(static_cast<Pipe>(p),
                   {.issue = from,
                    .start = from,
                    .end = to,
                    .complete = to,
                    .op = scalar_op_number_,
                    .reason = reason});
        }
    }
}

}  // namespace ascendsim
