// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/port/pipe.hpp"

namespace ascendsim {

/// When an operation of a program ran.
struct OpTime {
    std::uint64_t start = 0;           // cycle
    std::optional<std::uint64_t> end;  // cycle from which its result may be used; none: it never ended
};

/// A program that runs, with its operations numbered in the order it issues them.
class ProgramClock {
public:
    virtual ~ProgramClock() = default;
    /// The number of the operation the program issues next.
    [[nodiscard]] virtual std::uint64_t issued() const = 0;
    /// When operation `number` ran; empty if it was not reached, or belongs to an earlier launch.
    [[nodiscard]] virtual std::optional<OpTime> time_of(std::uint64_t number) const = 0;
};

/// When the operations of a core ran in this launch. A pipe starts its operations in the order they were
/// handed to it, so the next start of a pipe is that of its oldest one waiting.
class OpTimes {
public:
    /// Forgets all times; numbers go on.
    void forget() {
        first_ += times_.size();
        times_.clear();
        for (auto& pipe : waiting_) {
            pipe.clear();
        }
    }

    /// The scalar unit stands at an operation of its own from `cycle` on.
    void reached(std::uint64_t cycle) {
        if (!at_own_) {
            at_own_ = true;
            times_.push_back({saturated(cycle), never});
        }
    }

    /// The scalar unit's own operation is done.
    void done(std::uint64_t cycle) {
        times_.back().end = saturated(cycle);
        at_own_ = false;
    }

    /// The scalar unit hands an operation to `pipe`.
    void queued(Pipe pipe, std::uint64_t cycle) {
        waiting_[index(pipe)].push_back(times_.size());
        times_.push_back({saturated(cycle), never});
    }

    /// The oldest operation waiting at `pipe` runs. Nothing if none waits: the pipe was idle.
    void started(Pipe pipe, std::uint64_t start, std::uint64_t end) {
        auto& waiting = waiting_[index(pipe)];
        if (!waiting.empty()) {
            times_[waiting.front()] = {saturated(start), saturated(end)};
            waiting.pop_front();
        }
    }

    [[nodiscard]] std::optional<OpTime> find(std::uint64_t number) const {
        if (number < first_ || number - first_ >= times_.size()) {
            return std::nullopt;
        }
        const Short& time = times_[number - first_];
        return OpTime{.start = time.start,
                      .end = time.end == never ? std::nullopt : std::optional<std::uint64_t>{time.end}};
    }

    /// The number of the operation that is timed next.
    [[nodiscard]] std::uint64_t next() const { return first_ + times_.size(); }

private:
    // 8 bytes an operation: a run with data computed does not come to 2^32 cycles on a laptop.
    struct Short {
        std::uint32_t start;
        std::uint32_t end;
    };

    static constexpr std::uint32_t never = ~std::uint32_t{0};

    [[nodiscard]] static std::uint32_t saturated(std::uint64_t cycle) {
        return cycle < never ? static_cast<std::uint32_t>(cycle) : never - 1;
    }

    std::uint64_t first_ = 0;  // number of times_[0]
    std::vector<Short> times_;
    std::array<std::deque<std::size_t>, pipe_count> waiting_;
    bool at_own_ = false;
};

}  // namespace ascendsim
