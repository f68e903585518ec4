// SPDX-License-Identifier: Apache-2.0
// The pipes' side of a core's clocks: what starts when, what it waits for, what it releases.
#include <algorithm>
#include <bit>

#include <nlohmann/json.hpp>

#include "models/isa/sync/inserted.hpp"
#include "models/timeline/timeline_spans.hpp"
#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

/// Position of a pipe in the flow of data through a core; decides whether a flag says "data" or "buffer
/// free".
constexpr int stage(Pipe pipe) {
    switch (pipe) {
        case Pipe::scalar:
            return -1;
        case Pipe::mte2:
            return 0;
        case Pipe::mte1:
            return 1;
        case Pipe::vector:
        case Pipe::cube:
            return 2;
        case Pipe::mte3:
        case Pipe::fixpipe:
            return 3;
    }
    return -1;
}

record::Reason reason_of(Pipe source, Pipe destination) {
    if (source == Pipe::scalar || destination == Pipe::scalar) {
        return record::Reason::flag_scalar;
    }
    return stage(source) < stage(destination) ? record::Reason::flag_data : record::Reason::flag_buffer;
}

}  // namespace

void Timeline::run() {
    while (runnable_ != 0) {
        const auto pipe = static_cast<Pipe>(std::countr_zero(runnable_));
        runnable_ &= runnable_ - 1;
        run(pipe);
    }
}

void Timeline::run(Pipe pipe) {
    PipeQueue& own = queue(pipe);
    while (!own.in_transfer && !own.empty()) {
        if (!start(pipe, own.front().op, own.front().issue)) {
            return;
        }
    }
}

bool Timeline::start(Pipe pipe, const Op& op, std::uint64_t issue) {
    switch (op.kind) {
        case isa::OpKind::compute:
            compute(pipe, op, issue);
            return true;
        case isa::OpKind::transfer:
            return transfer(pipe);
        case isa::OpKind::set_flag:
            set_flag(pipe, op, issue);
            return true;
        case isa::OpKind::wait_flag:
            return wait_flag(pipe, op, issue);
        case isa::OpKind::barrier:
            barrier(pipe, op, issue);
            return true;
        case isa::OpKind::cross_set:
            cross_set(pipe, op, issue);
            return true;
        case isa::OpKind::cross_wait:
            return cross_wait(pipe, op, issue);
        case isa::OpKind::barrier_all:
        case isa::OpKind::scalar_work:
        case isa::OpKind::scalar_load:
        case isa::OpKind::sync_all:
        case isa::OpKind::system_cycle:
        case isa::OpKind::buffer:
            break;
    }
    check(false, "{} cannot be queued on {}", op.info->name, name(pipe));
    return true;
}

void Timeline::name_anew(Named& seen, const Op& op) {
    const std::uint32_t number = op_number(op.info);
    const CalledPlaces::Place* const called = called_places_.find(op.site.file);
    Op own = op;  // with the place of its code
    own.site.file = called == nullptr ? op.site.file : called->file;
    seen = {.info = op.info,
            .file = op.site.file,
            .line = op.site.line,
            .op = number,
            .site = site_number(op.site, isa::is_inserted(op.info)),
            .code = code_ ? code_->unit_of(own) : 0};
}

std::uint32_t Timeline::site_number(Site site, bool inserted) {
    const CalledPlaces::Place* const called = called_places_.find(site.file);
    if (called == nullptr) {
        return recorder_.site(site.file, site.line, inserted);
    }
    const auto [number, fresh] = called_numbers_.try_emplace({site.file, site.line});
    if (fresh) {
        number->second = recorder_.called_site(
            called->file, site.line, recorder_.site(called->caller.file, called->caller.line));
    }
    return number->second;
}

void Timeline::lacks(Pipe pipe) {
    throw InternalError{fmt::format("a core was asked to use {}, which it does not have", name(pipe))};
}

std::uint32_t Timeline::op_number(const isa::OpInfo* info) {
    const auto [entry, fresh] = op_numbers_.try_emplace(info, 0);
    if (fresh) {
        entry->second = recorder_.op(info->name);
    }
    return entry->second;
}

void Timeline::completes(PipeQueue& own, std::uint64_t complete, record::SpanId span) {
    if (complete >= own.complete) {
        own.complete = complete;
        own.complete_by = span;
    }
}

void Timeline::compute(Pipe pipe, const Op& op, std::uint64_t issue) {
    PipeQueue& own = queue(pipe);
    record::Span span = base_span(op, issue);
    span.start = std::max(issue, own.free);
    span.end = span.start + op.occupies;
    span.complete = span.end + op.latency;
    (pipe == Pipe::cube ? cube_work_ : vector_work_) += op.work;
    conflicts_ += op.conflict;
    if (op.conflict > 0) [[unlikely]] {
        conflict_places_.add(op);
    }
    const record::SpanId id = append(pipe, span);
    own.free = span.end;
    completes(own, span.complete, id);
    own.start(span.start, id);
}

bool Timeline::transfer(Pipe pipe) {
    PipeQueue& own = queue(pipe);
    const Queued& entry = own.front();  // stays there until finish_transfer
    own.in_transfer = true;
    host_.submit(pipe, entry.op, std::max(entry.issue, own.free));
    return false;
}

// What a transfer of `pipe`, or a fetch of code by the scalar unit, was: busy until its requests were out.
record::Span Timeline::transfer_span(Pipe pipe, const Op& op, const TransferResult& result) {
    const bool scalar = pipe == Pipe::scalar;
    const bool fetching = scalar && fetching_;
    const PipeQueue& own = queue(pipe);
    record::Span span = base_span(op, scalar ? scalar_ : own.front().issue);
    span.start = scalar ? scalar_ : std::max(span.issue, own.free);
    span.end = scalar ? result.complete : result.issued;
    span.complete = result.complete;
    span.route = static_cast<std::uint8_t>(result.route);
    span.limiter = result.limiter;
    span.requests = result.requests;
    span.l2_hit_bytes = static_cast<std::uint32_t>(result.l2_hit_bytes);
    span.hbm_read_bytes = static_cast<std::uint32_t>(result.hbm_read_bytes);
    span.hbm_write_bytes = static_cast<std::uint32_t>(result.hbm_write_bytes);
    span.gm_offset = result.gm_offset;
    if (fetching) {  // the operation itself is still to come
        span.bytes = chip_.icache.fill_bytes;
        span.work = span.conflict = span.offset = 0;
        span.memory = static_cast<std::uint8_t>(Memory::gm);
    }
    span.reason = fetching ? record::Reason::fetch : scalar ? record::Reason::memory : record::Reason::none;
    span.inside = span.reason == record::Reason::memory;  // a load has begun; code that is fetched has not
    if (scalar && !fetching && op.a == isa::load_starts) {
        span.end = scalar_ + std::max(chip_.scalar.issue_cycles, 1U);
        span.reason = record::Reason::none;
        span.inside = false;
    }
    return span;
}

void Timeline::finish_transfer(Pipe pipe, const TransferResult& result) {
    const bool scalar = pipe == Pipe::scalar;
    PipeQueue& own = queue(pipe);
    const record::Span span = transfer_span(pipe, scalar ? *blocked_ : own.front().op, result);
    const record::SpanId id = append(pipe, span);
    if (scalar) {
        last_scalar_ = id;
        scalar_ = busy_from_ = span.end;
        if (fetching_) {
            fetching_ = false;
            code_->fill();
            return;
        }
        if (blocked_->a == isa::load_starts) {
            preload_started(*blocked_, result);
        }
        scalar_loading_ = false;
        scalar_loaded_ = true;
        return;
    }
    own.free = span.end;
    completes(own, span.complete, id);
    own.start(span.start, id);
    own.in_transfer = false;
    mark_runnable(pipe);
    run();
}

void Timeline::set_flag(Pipe pipe, const Op& op, std::uint64_t issue) {
    PipeQueue& own = queue(pipe);
    record::Span span = flag_span(op, issue);
    span.start = std::max(issue, own.free);
    span.end = span.start + chip_.sync.set_cycles;
    span.complete = std::max(span.end, own.complete);
    news(op, span.complete);
    const record::SpanId id = append(pipe, span);
    const bool after_work = own.complete > span.start && own.complete_by.valid();
    const record::SpanId by = after_work ? own.complete_by : id;
    own.free = span.end;
    own.start(span.start, id);
    raise(op, span.complete + chip_.sync.flag_latency, by);
}

void Timeline::raise(const Op& op, std::uint64_t time, record::SpanId by) {
    flags_.raise(flag_of(op), {time, by});
    if (flag_of(op).destination != Pipe::scalar) {
        mark_runnable(flag_of(op).destination);
    }
}

bool Timeline::wait_flag(Pipe pipe, const Op& op, std::uint64_t issue) {
    if (!flags_.raised(flag_of(op))) {
        return false;
    }
    PipeQueue& own = queue(pipe);
    record::Span span = flag_span(op, issue);
    span.start = std::max(issue, own.free);
    const Raise raise = flags_.take(flag_of(op));
    span.end = std::max(span.start, raise.time) + chip_.sync.wait_cycles;
    span.complete = span.end;
    span.culprit = raise.by;
    span.reason = raise.time > span.start ? reason_of(static_cast<Pipe>(op.a), pipe) : record::Reason::none;
    // Fixpipe waits for the unit flag as part of its work, the cube before it [GEMM-003, QGEMM-003].
    span.inside = op.id >= chip_.sync.flag_ids && pipe == Pipe::fixpipe;
    news(op, span.end);
    if (isa::is_inserted(op.info)) [[unlikely]] {
        inserted_.add(op, span.end - span.start);
    }
    const record::SpanId id = append(pipe, span);
    own.free = span.end;
    own.start(span.start, id);
    return true;
}

void Timeline::barrier(Pipe pipe, const Op& op, std::uint64_t issue) {
    PipeQueue& own = queue(pipe);
    record::Span span = base_span(op, issue);
    span.start = std::max(issue, own.free);
    const bool waits = own.complete > span.start;
    span.end = std::max(span.start, own.complete) + chip_.sync.barrier_cycles;
    span.complete = span.end;
    span.reason = waits ? record::Reason::barrier : record::Reason::none;
    span.culprit = waits ? own.complete_by : record::SpanId{};
    if (isa::is_inserted(op.info)) [[unlikely]] {
        inserted_.add(op, span.end - span.start);
    }
    const record::SpanId id = append(pipe, span);
    own.free = span.end;
    own.start(span.start, id);
}

void Timeline::cross_set(Pipe pipe, const Op& op, std::uint64_t issue) {
    const std::uint32_t mode =
        op.a;  // the arrival may run this pipe on and reuse the queue entry that `op` is
    const std::uint32_t flag = op.id;
    const Site site = op.site;
    PipeQueue& own = queue(pipe);
    record::Span span = base_span(op, issue);
    span.start = std::max(issue, own.free);
    span.end = span.start + chip_.sync.set_cycles;
    span.complete = std::max(span.end, own.complete);
    const record::SpanId id = append(pipe, span);
    own.free = span.end;
    own.start(span.start, id);
    const bool after_work = own.complete > span.start && own.complete_by.valid();
    const record::SpanId by = after_work ? own.complete_by : id;
    host_.cross_arrive(mode, flag, {span.complete + chip_.sync.cross_flag_latency, by}, site);
}

bool Timeline::cross_wait(Pipe pipe, const Op& op, std::uint64_t issue) {
    PipeQueue& own = queue(pipe);
    const std::optional<Raise> raise = host_.cross_take(op.a, op.id, std::max(issue, own.free));
    if (!raise) {
        return false;
    }
    record::Span span = base_span(op, issue);
    span.start = std::max(issue, own.free);
    span.end = std::max(span.start, raise->time) + chip_.sync.wait_cycles;
    span.complete = span.end;
    span.culprit = raise->by;
    span.reason = raise->time > span.start ? record::Reason::cross_core : record::Reason::none;
    const record::SpanId id = append(pipe, span);
    own.free = span.end;
    own.start(span.start, id);
    return true;
}

void Timeline::wake() {
    for (std::size_t p = 1; p < pipe_count; ++p) {
        if (!queues_[p].empty() && queues_[p].front().op.kind == isa::OpKind::cross_wait) {
            mark_runnable(static_cast<Pipe>(p));
        }
    }
    run();
}

std::string Timeline::setter_of(const Op& wait) const {
    const Op* const set = queues_[wait.a].find([&wait](const Op& op) {
        return op.kind == isa::OpKind::set_flag && op.a == wait.a && op.b == wait.b && op.id == wait.id;
    });
    return set == nullptr ? "which nothing sets"
                          : fmt::format("whose {} at {}:{} stands behind another wait",
                                        set->info->name,
                                        set->site.file,
                                        set->site.line);
}

std::string Timeline::describe(const Op& op) const {
    const std::string place = fmt::format("{} at {}:{}", op.info->name, op.site.file, op.site.line);
    switch (op.kind) {
        case isa::OpKind::wait_flag:
            return fmt::format("{} waits for flag {} from {}, {}",
                               place,
                               op.id,
                               name(static_cast<Pipe>(op.a)),
                               setter_of(op));
        case isa::OpKind::cross_wait:
            return op.a == CrossFlags::mode_message
                       ? fmt::format("{} waits for the other core's message", place)
                       : fmt::format("{} waits for cross-core flag {}", place, op.id);
        case isa::OpKind::sync_all:
            return fmt::format("{} waits for the other cores", place);
        case isa::OpKind::barrier_all:
            return fmt::format("{} waits for the pipes above", place);
        case isa::OpKind::compute:
        case isa::OpKind::transfer:
        case isa::OpKind::set_flag:
        case isa::OpKind::barrier:
        case isa::OpKind::scalar_work:
        case isa::OpKind::scalar_load:
        case isa::OpKind::cross_set:
        case isa::OpKind::system_cycle:
        case isa::OpKind::buffer:
            break;
    }
    return fmt::format("{} waits for room in the queue of {}", place, name(op.pipe));
}

/// Why an operation that cannot go on waits.
record::Reason Timeline::waits_for(const Op& op, Pipe pipe) {
    return op.kind == isa::OpKind::wait_flag     ? reason_of(static_cast<Pipe>(op.a), pipe)
           : op.kind == isa::OpKind::cross_wait  ? record::Reason::cross_core
           : op.kind == isa::OpKind::sync_all    ? record::Reason::sync_all
           : op.kind == isa::OpKind::barrier_all ? record::Reason::barrier
                                                 : record::Reason::queue_full;
}

std::uint64_t Timeline::never_ends(Pipe pipe, const Op& op, std::uint64_t issue, std::uint64_t end) {
    record::Span span = flag_span(op, issue);
    span.start = std::max(issue, lane_end_[index(pipe)]);
    span.end = std::max(end, span.start + 1);
    span.complete = span.end;
    span.reason = waits_for(op, pipe);
    // Not by append(): for those who ask for its time the operation has no end.
    lane_end_[index(pipe)] = span.end;
    const std::uint32_t lane = lanes_[index(pipe)];
    recorder_.span(lane, span);
    if (span.reason != record::Reason::queue_full) {
        recorder_.event(
            {{"kind", "never_set"}, {"lane", lane}, {"cycle", span.start}, {"text", describe(op)}});
    }
    return span.end;
}

std::uint64_t Timeline::end_waits(std::uint64_t end) {
    std::uint64_t last = end;
    for (std::size_t p = 1; p < pipe_count; ++p) {
        const PipeQueue& own = queues_[p];
        const bool waits = !own.empty() && (own.front().op.kind == isa::OpKind::wait_flag ||
                                            own.front().op.kind == isa::OpKind::cross_wait);
        if (waits) {
            last = std::max(last, never_ends(static_cast<Pipe>(p), own.front().op, own.front().issue, end));
        }
    }
    if (blocked_ != nullptr && !scalar_loading_ && !fetching_) {
        last = std::max(last, never_ends(Pipe::scalar, *blocked_, scalar_, end));
    }
    return last;
}

std::string Timeline::stuck() const {
    std::string text;
    for (std::size_t p = 1; p < pipe_count; ++p) {
        if (!queues_[p].empty()) {
            text += fmt::format("  {:8} {}\n", name(static_cast<Pipe>(p)), describe(queues_[p].front().op));
        }
    }
    if (blocked_ != nullptr) {
        text += fmt::format("  {:8} {}\n", "scalar", describe(*blocked_));
    }
    return text;
}

}  // namespace ascendsim
