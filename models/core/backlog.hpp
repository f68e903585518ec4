// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "models/port/timed_op.hpp"

namespace ascendsim {

/// Operations that a program has issued and that are not timed yet, in order. They stay where they are until
/// they are taken, so that a timeline may keep the address of the one it stands at.
class Backlog {
public:
    [[nodiscard]] bool empty() const { return size_ == 0; }

    [[nodiscard]] std::size_t size() const { return size_; }

    void append(std::span<const isa::TimedOp> ops) {
        if (ops.empty()) {
            return;
        }
        std::vector<isa::TimedOp> batch;
        if (!spare_.empty()) {
            batch = std::move(spare_.back());
            spare_.pop_back();
        }
        batch.assign(ops.begin(), ops.end());
        size_ += batch.size();
        batches_.push_back(std::move(batch));
    }

    /// The oldest operations, some or all of them; none if there are none.
    [[nodiscard]] std::span<const isa::TimedOp> front() const {
        return batches_.empty() ? std::span<const isa::TimedOp>{}
                                : std::span{batches_.front()}.subspan(taken_);
    }

    /// Forgets the oldest `count`, at most front().size().
    void take(std::size_t count) {
        taken_ += count;
        size_ -= count;
        if (!batches_.empty() && taken_ == batches_.front().size()) {
            spare_.push_back(std::move(batches_.front()));
            batches_.pop_front();
            taken_ = 0;
        }
    }

private:
    std::deque<std::vector<isa::TimedOp>> batches_;
    std::vector<std::vector<isa::TimedOp>> spare_;  // memory of batches that are done
    std::size_t taken_ = 0;                         // of the first batch
    std::size_t size_ = 0;
};

}  // namespace ascendsim
