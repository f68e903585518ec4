// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/path_walker.hpp"

#include <algorithm>

#include "app/analysis/lane_use.hpp"
#include "models/port/pipe.hpp"

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Reason;
using record::SpanId;

constexpr std::size_t most_idle_steps = 1000;  // without time passing
constexpr std::size_t look_back = 256;         // spans before a moment that may complete at it

}  // namespace

PathWalker::PathWalker(const record::Recording& recording) : recording_{recording} {
    for (std::uint32_t number = 0; number < recording.lanes().size(); ++number) {
        const Lane& lane = recording.lane(number);
        const std::string_view pipe = lane.path.pipe();
        if (lane.core_index) {
            scalar_of_.resize(std::max(scalar_of_.size(), *lane.core_index + std::size_t{1}),
                              SpanId::no_lane);
        }
        if (lane.core_index && pipe == name(Pipe::scalar)) {
            scalar_of_[*lane.core_index] = number;
        }
        moves_.push_back(pipe.starts_with("mte") || pipe == name(Pipe::fixpipe) ||
                         lane.path.has(record::TrackKind::link));
    }
}

std::uint32_t PathWalker::scalar_lane() const {
    const std::optional<std::uint32_t> core = lane().core_index;
    return core ? scalar_of_[*core] : SpanId::no_lane;
}

void PathWalker::from_end(std::uint64_t cycle) {
    time_ = cycle;
    move_to({}, Phase::between_launches);
}

void PathWalker::from_wait(SpanId span) {
    move_to(span, Phase::running);
    time_ = lane().end[span.index];
}

void PathWalker::from_start(SpanId span) {
    move_to(span, Phase::starting);
    time_ = lane().start[span.index];
}

std::optional<PathSegment> PathWalker::next() {
    for (std::size_t steps = 0; time_ > 0; ++steps) {
        if (steps ==
            most_idle_steps) {  // causes that go round in a circle at one moment: no machine does, a file may
            return emit(time_ - 1, PathKind::other, {});
        }
        Step step;
        switch (phase_) {
            case Phase::completing:
                step = complete();
                break;
            case Phase::running:
                step = run();
                break;
            case Phase::starting:
                step = start();
                break;
            case Phase::between_launches:
                step = restart(true);
                break;
            case Phase::between_blocks:
                step = restart(false);
                break;
        }
        if (step) {
            return step;
        }
    }
    return std::nullopt;
}

PathWalker::Step PathWalker::emit(std::uint64_t start, PathKind kind, SpanId span) {
    if (start >= time_) {
        return std::nullopt;
    }
    const PathSegment segment{start, time_, kind, span};
    time_ = start;
    return segment;
}

PathKind PathWalker::kind_of(SpanId span) const {
    const Lane& lane = recording_.lane(span.lane);
    const Reason reason = lane.reason[span.index];
    if (reason == Reason::memory || reason == Reason::fetch) {
        return PathKind::latency;
    }
    if (reason != Reason::none) {
        return PathKind::sync;
    }
    if (lane.path.pipe() == name(Pipe::scalar)) {
        return PathKind::scalar;
    }
    const bool works = lane.work[span.index] != 0 || lane.bytes[span.index] != 0;
    if (moves_[span.lane]) {
        return works ? PathKind::transfer : PathKind::sync;
    }
    return works ? PathKind::compute : PathKind::sync;
}

PathWalker::Step PathWalker::complete() {
    const SpanId span = at_;
    phase_ = Phase::running;
    return emit(lane().end[span.index], PathKind::latency, span);
}

PathWalker::Step PathWalker::run() {
    const SpanId span = at_;
    const Reason reason = lane().reason[span.index];
    if (outside_program(reason)) {
        return outside(span);
    }
    if (reason != Reason::none && recording_.contains(lane().culprit(span.index))) {
        const SpanId culprit = lane().culprit(span.index);
        const std::uint64_t begin = recording_.lane(culprit.lane).start[culprit.index];
        if (begin < time_ || (begin == time_ && reason == Reason::queue_full)) {
            return follow(culprit, reason);
        }
    }
    phase_ = Phase::starting;
    return emit(lane().start[span.index], kind_of(span), span);
}

// A wait ends when its culprit completes; a wait for room in a queue when its culprit starts and so leaves
// the queue.
PathWalker::Step PathWalker::follow(SpanId culprit, Reason reason) {
    const SpanId wait = at_;
    const Lane& lane = recording_.lane(culprit.lane);
    const bool at_start = reason == Reason::queue_full;
    move_to(culprit, at_start ? Phase::starting : Phase::completing);
    return emit(at_start ? lane.start[culprit.index] : lane.complete[culprit.index], PathKind::sync, wait);
}

PathWalker::Step PathWalker::start() {
    const SpanId span = at_;
    const std::uint32_t scalar = scalar_lane();
    const std::uint64_t issue = std::min(lane().issue[span.index], time_);
    const bool has_previous = span.index > 0;
    const bool follows_program = has_previous && in_program(lane(), span.index - 1);
    if (scalar == span.lane || scalar == SpanId::no_lane) {
        return has_previous ? go_back_to(span.index - 1) : emit(0, PathKind::launch, {});
    }
    if (follows_program && lane().end[span.index - 1] > issue) {
        return go_back_to(span.index - 1);
    }
    return to_scalar(issue);
}

PathWalker::Step PathWalker::go_back_to(std::size_t previous) {
    const SpanId before{at_.lane, previous};
    move_to(before, Phase::running);
    return emit(lane().end[previous], PathKind::other, {});
}

PathWalker::Step PathWalker::to_scalar(std::uint64_t issue) {
    const std::uint32_t number = scalar_lane();
    const Lane& scalar = recording_.lane(number);
    if (Step gap = emit(issue, PathKind::other, at_)) {
        return gap;  // comes back here with time_ == issue
    }
    const std::size_t index = scalar.first_ending_after(time_ - 1);
    if (index < scalar.size() && scalar.start[index] < time_) {
        move_to({number, index}, Phase::running);
        return std::nullopt;
    }
    if (index == 0) {
        return emit(0, PathKind::launch, {});
    }
    move_to({number, index - 1}, Phase::running);
    return emit(scalar.end[index - 1], PathKind::other, {});
}

PathWalker::Step PathWalker::outside(SpanId span) {
    const Lane& lane = recording_.lane(span.lane);
    switch (lane.reason[span.index]) {
        case Reason::launch:
            phase_ = Phase::between_launches;
            return emit(lane.start[span.index], PathKind::launch, {});
        case Reason::block:
            phase_ = Phase::between_blocks;
            return std::nullopt;
        default:
            phase_ = Phase::between_launches;
            return std::nullopt;
    }
}

std::optional<SpanId> PathWalker::last_complete(std::uint32_t number) const {
    const Lane& lane = recording_.lane(number);
    const std::size_t end = lane.first_ending_after(time_);
    const std::size_t begin = end > look_back ? end - look_back : 0;
    std::optional<SpanId> best;
    for (std::size_t i = end; i-- > begin;) {
        const bool later = !best || lane.complete[i] > lane.complete[best->index];
        if (in_program(lane, i) && lane.complete[i] <= time_ && later) {
            best = SpanId{number, i};
        }
    }
    return best;
}

// The last thing that completed before now, on the cores or on the core, is what the next launch or block
// waited for.
PathWalker::Step PathWalker::restart(bool whole_chip) {
    std::optional<SpanId> last;
    std::uint64_t latest = 0;
    for (std::uint32_t number = 0; number < recording_.lanes().size(); ++number) {
        const std::optional<std::uint32_t> core = recording_.lane(number).core_index;
        if (!core || (!whole_chip && core != lane().core_index)) {
            continue;
        }
        const std::optional<SpanId> candidate = last_complete(number);
        if (candidate && (!last || recording_.lane(number).complete[candidate->index] > latest)) {
            last = candidate;
            latest = recording_.lane(number).complete[candidate->index];
        }
    }
    if (!last) {
        return emit(0, PathKind::launch, {});
    }
    move_to(*last, Phase::completing);
    return emit(latest, whole_chip ? PathKind::tail : PathKind::block, {});
}

}  // namespace ascendsim::analysis
