// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "models/port/timed_op.hpp"
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
    explicit PipeQueue(std::uint32_t depth)
        : starts_(std::bit_ceil(depth)),
          queue_(std::bit_ceil(depth)),
          depth_{depth},
          mask_{std::bit_ceil(depth) - 1} {}

    [[nodiscard]] bool empty() const { return started_ == dispatched_; }

    /// True if it is known when the next entry can be taken; false while older entries have not started.
    [[nodiscard]] bool room_known() const { return dispatched_ - started_ < depth_; }

    /// When there is room for the next entry; call only if room_known().
    [[nodiscard]] std::uint64_t room_at() const { return dispatched_ < depth_ ? 0 : room().time; }

    /// The span whose start made that room.
    [[nodiscard]] record::SpanId room_by() const { return room().span; }

    /// Puts an operation behind the others.
    void push(const isa::TimedOp& op, std::uint64_t issue) {
        Queued& entry = queue_[dispatched_ & mask_];
        entry.op = op;
        entry.issue = issue;
        ++dispatched_;
    }

    /// Counts an operation that starts at once, without a stay in the queue.
    void pass() { ++dispatched_; }

    /// Takes the last pass() back: the operation could not start.
    void unpass() { --dispatched_; }

    [[nodiscard]] const Queued& front() const { return queue_[started_ & mask_]; }

    /// The first waiting operation that `matches`, or null.
    template <class Matches>
    [[nodiscard]] const isa::TimedOp* find(Matches matches) const {
        for (auto at = started_; at != dispatched_; ++at) {
            if (const isa::TimedOp& op = queue_[at & mask_].op; matches(op)) {
                return &op;
            }
        }
        return nullptr;
    }

    /// The oldest operation starts at `time` as `span`.
    void start(std::uint64_t time, record::SpanId span) {
        starts_[started_ & mask_] = {time, span};
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
        record::SpanId span{};
    };

    [[nodiscard]] const Start& room() const { return starts_[(dispatched_ - depth_) & mask_]; }

    std::vector<Start> starts_;
    std::vector<Queued> queue_;
    std::uint64_t depth_;
    std::uint64_t mask_;
    std::uint64_t dispatched_ = 0;
    std::uint64_t started_ = 0;
};

}  // namespace ascendsim
