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
        const bool copies =
            pipe.starts_with("mte") || pipe == name(Pipe::fixpipe) || lane.path.has(record::TrackKind::link);
        roles_.push_back(pipe == name(Pipe::scalar) ? Role::scalar : copies ? Role::copies : Role::computes);
    }
}

PathWalker::Seen PathWalker::see(SpanId span) const {
    const record::ChunkColumns& chunk = recording_.lane(span.lane).spans->with(span.index);
    const std::size_t k = span.index - chunk.first;
    return {.start = chunk.start[k],
            .reason = chunk.reason[k],
            .works = chunk.work[k] != 0 || chunk.bytes[k] != 0,
            .culprit = {chunk.culprit_lane[k], chunk.culprit_index[k]}};
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

PathKind PathWalker::kind_of(const Seen& span) const {
    if (span.reason == Reason::memory || span.reason == Reason::fetch) {
        return PathKind::latency;
    }
    if (span.reason != Reason::none) {
        return PathKind::sync;
    }
    switch (roles_[at_.lane]) {
        case Role::scalar:
            return PathKind::scalar;
        case Role::copies:
            return span.works ? PathKind::transfer : PathKind::sync;
        case Role::computes:
            break;
    }
    return span.works ? PathKind::compute : PathKind::sync;
}

PathWalker::Step PathWalker::complete() {
    const SpanId span = at_;
    phase_ = Phase::running;
    return emit(lane().end[span.index], PathKind::latency, span);
}

PathWalker::Step PathWalker::run() {
    const Seen span = see(at_);
    if (outside_program(span.reason)) {
        return outside(span);
    }
    if (span.reason != Reason::none && recording_.contains(span.culprit)) {
        const std::uint64_t begin = recording_.lane(span.culprit.lane).start[span.culprit.index];
        if (begin < time_ || (begin == time_ && span.reason == Reason::queue_full)) {
            return follow(span.culprit, span.reason);
        }
    }
    phase_ = Phase::starting;
    return emit(span.start, kind_of(span), at_);
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
    const bool has_previous = span.index > 0;
    if (scalar == span.lane || scalar == SpanId::no_lane) {
        return has_previous ? go_back_to(span.index - 1) : emit(0, PathKind::launch, {});
    }
    const std::uint64_t issue = std::min(lane().issue[span.index], time_);
    if (has_previous) {
        const record::ChunkColumns& chunk = lane().spans->with(span.index - 1);
        const std::size_t k = span.index - 1 - chunk.first;
        if (chunk.end[k] > issue && !outside_program(chunk.reason[k])) {
            return go_back_to(span.index - 1);
        }
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

PathWalker::Step PathWalker::outside(const Seen& span) {
    switch (span.reason) {
        case Reason::launch:
            phase_ = Phase::between_launches;
            return emit(span.start, PathKind::launch, {});
        case Reason::block:
            phase_ = Phase::between_blocks;
            return std::nullopt;
        default:
            phase_ = Phase::between_launches;
            return std::nullopt;
    }
}

/// The last span of a lane that completed by now, if that was later than `latest`, which is then moved there.
std::optional<SpanId> PathWalker::last_complete(std::uint32_t number,
                                                std::optional<std::uint64_t>& latest) const {
    const Lane& lane = recording_.lane(number);
    const std::size_t end = lane.first_ending_after(time_);
    const std::size_t begin = end > look_back ? end - look_back : 0;
    std::optional<SpanId> best;
    std::uint64_t most = 0;
    for (std::size_t i = end; i-- > begin;) {
        const record::ChunkColumns& chunk = lane.spans->with(i);
        const std::size_t k = i - chunk.first;
        const std::uint64_t complete = chunk.complete[k];
        if (!outside_program(chunk.reason[k]) && complete <= time_ && (!best || complete > most)) {
            best = SpanId{number, i};
            most = complete;
        }
    }
    if (!best || (latest && most <= *latest)) {
        return std::nullopt;
    }
    latest = most;
    return best;
}

/// The last span that completed by now, on the cores or on the core where the walk is.
std::optional<SpanId> PathWalker::last_complete_of(bool whole_chip) const {
    std::optional<SpanId> last;
    std::optional<std::uint64_t> latest;
    for (std::uint32_t number = 0; number < recording_.lanes().size(); ++number) {
        const std::optional<std::uint32_t> core = recording_.lane(number).core_index;
        if (!core || (!whole_chip && core != lane().core_index)) {
            continue;
        }
        if (const std::optional<SpanId> candidate = last_complete(number, latest)) {
            last = candidate;
        }
    }
    return last;
}

// The last thing that completed before now, on the cores or on the core, is what the next launch or block
// waited for.
PathWalker::Step PathWalker::restart(bool whole_chip) {
    std::optional<SpanId> last;
    if (whole_chip) {
        const auto [known, fresh] = restarts_.try_emplace(time_);
        if (fresh) {
            known->second = last_complete_of(true);
        }
        last = known->second;
    } else {
        last = last_complete_of(false);
    }
    if (!last) {
        return emit(0, PathKind::launch, {});
    }
    const std::uint64_t latest = recording_.lane(last->lane).complete[last->index];
    move_to(*last, Phase::completing);
    return emit(latest, whole_chip ? PathKind::tail : PathKind::block, {});
}

}  // namespace ascendsim::analysis
