// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "sim/record/recording.hpp"

namespace ascendsim::record {

/// A stretch of a lane with one reason: a span, or a wait between spans.
struct Stretch {
    std::uint64_t start = 0;  // cycle
    std::uint64_t end = 0;
    Reason reason = Reason::none;
    bool between = false;  // no span of its own: what lies before the first, between two, or after the last
    std::size_t index =
        0;  // of the span; for a wait between spans that of the next one, or the number of spans
};

/// Cycles of a lane by what it did: element `Reason::none` is busy.
struct Occupancy {
    std::array<std::uint64_t, reason_count> cycles{};

    [[nodiscard]] std::uint64_t operator[](Reason reason) const {
        return cycles[static_cast<std::size_t>(reason)];
    }

    [[nodiscard]] std::uint64_t busy() const { return (*this)[Reason::none]; }

    [[nodiscard]] std::uint64_t total() const {
        return std::accumulate(cycles.begin(), cycles.end(), std::uint64_t{0});
    }

    [[nodiscard]] std::uint64_t waiting() const { return total() - busy(); }

    void add(Reason reason, std::uint64_t count) { cycles[static_cast<std::size_t>(reason)] += count; }

    Occupancy& operator+=(const Occupancy& other) {
        for (std::size_t i = 0; i < reason_count; ++i) {
            cycles[i] += other.cycles[i];
        }
        return *this;
    }

    friend bool operator==(const Occupancy&, const Occupancy&) = default;
};

/// Calls `visit(Stretch)` for all of [from, to) on a lane, in order and without a gap; `to` is at most the
/// run's end. Every cycle of a lane thus has one reason. Stretches are cut at the window's ends.
template <class Visit>
void for_each_stretch(const Recording& recording,
                      std::uint32_t lane_number,
                      std::uint64_t from,
                      std::uint64_t to,
                      Visit visit) {
    const Lane& lane = recording.lane(lane_number);
    to = std::min(to, recording.cycles());
    std::uint64_t now = from;
    const auto until = [&](std::uint64_t end, Reason reason, bool between, std::size_t index) {
        end = std::min(end, to);
        if (end > now) {
            visit(Stretch{now, end, reason, between, index});
            now = end;
        }
    };
    if (lane.empty()) {
        until(to, Reason::unused, true, 0);
        return;
    }
    const std::size_t i = lane.first_ending_after(from);
    if (i == 0) {
        until(recording.launch_end(lane_number), Reason::launch, true, 0);
    }
    for_each_span(lane, i, [&](const ChunkColumns& chunk, std::size_t k, std::size_t index) {
        until(chunk.start[k], Reason::issue, true, index);
        until(chunk.end[k], chunk.reason[k], false, index);
        return now < to;
    });
    until(to, Reason::tail, true, lane.size());
}

/// What a lane did in [from, to). The sum is the window's length within the run.
[[nodiscard]] Occupancy occupancy(const Recording& recording,
                                  std::uint32_t lane,
                                  std::uint64_t from,
                                  std::uint64_t to);

/// What a lane did in the whole run.
[[nodiscard]] Occupancy occupancy(const Recording& recording, std::uint32_t lane);

}  // namespace ascendsim::record
