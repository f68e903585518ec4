// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/isa/timed_op.hpp"
#include "sim/record/span.hpp"

namespace ascendsim {

/// An operation in a pipe's queue.
struct Queued {
    isa::TimedOp op{};
    std::uint64_t issue = 0;  // cycle at which the scalar unit handed it over
};

/// One pipe's bounded queue and clock. An entry leaves the queue when its operation starts; only then is
/// there room.
class PipeQueue {
public:
    explicit PipeQueue(std::uint32_t depth) : starts_(depth), queue_(depth), depth_{depth} {}

    [[nodiscard]] bool empty() const { return started_ == dispatched_; }

    /// True if it is known when the next entry can be taken; false while older entries have not started.
    [[nodiscard]] bool room_known() const { return dispatched_ - started_ < depth_; }

    /// When there is room for the next entry; call only if room_known().
    [[nodiscard]] std::uint64_t room_at() const {
        return dispatched_ < depth_ ? 0 : starts_[slot(dispatched_)].time;
    }

    /// The span whose start made that room.
    [[nodiscard]] std::uint64_t room_by() const { return starts_[slot(dispatched_)].span; }

    void push(const isa::TimedOp& op, std::uint64_t issue) {
        Queued& entry = queue_[slot(dispatched_)];
        entry.op = op;
        entry.issue = issue;
        ++dispatched_;
    }

    [[nodiscard]] const Queued& front() const { return queue_[slot(started_)]; }

    /// The front operation starts at `time` as span number `span` of its lane.
    void start_front(std::uint64_t time, std::uint64_t span) {
        starts_[slot(started_)] = {time, span};
        ++started_;
    }

    /// Forgets queue history between programs; clocks stay.
    void reset() {
        started_ = 0;
        dispatched_ = 0;
    }

    std::uint64_t free = 0;      // cycle from which the next operation may start
    std::uint64_t complete = 0;  // cycle at which everything started so far is complete
    record::SpanId complete_by;  // the span that completes last
    bool in_transfer = false;    // the front is with the memory system

private:
    struct Start {
        std::uint64_t time = 0;
        std::uint64_t span = 0;
    };

    [[nodiscard]] std::size_t slot(std::uint64_t n) const { return n % depth_; }

    std::vector<Start> starts_;
    std::vector<Queued> queue_;
    std::uint64_t depth_;
    std::uint64_t dispatched_ = 0;
    std::uint64_t started_ = 0;
};

}  // namespace ascendsim
