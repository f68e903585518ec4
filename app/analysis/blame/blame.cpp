// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/blame.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "app/analysis/lane_use.hpp"
#include "app/analysis/pipe_units.hpp"
#include "sim/record/occupancy.hpp"

namespace ascendsim::analysis {

namespace {

using record::Reason;
using record::Recording;
using record::Stretch;

// A chain longer than this is charged to where it stands: what is that far back matters little.
constexpr std::size_t longest_chain = 4096;

PathKind kind_outside(Reason reason) {
    switch (reason) {
        case Reason::launch:
            return PathKind::launch;
        case Reason::block:
            return PathKind::block;
        case Reason::tail:
            return PathKind::tail;
        case Reason::unused:
            return PathKind::unused;
        default:
            return PathKind::other;
    }
}

/// A lane of a unit, and how far it is blamed.
struct BlamedLane {
    std::uint32_t lane = 0;
    RootSum* sum = nullptr;
    std::uint64_t done = 0;  // cycle
};

class Blamer {
public:
    Blamer(const Recording& recording, std::uint64_t from, std::uint64_t to)
        : recording_{recording}, walker_{recording}, from_{from}, to_{to} {}

    /// Lanes whose waits mostly lead to each other. They go on together, so that a chain of waits stays
    /// within the chunks that are decoded anyway.
    void add(std::vector<BlamedLane> lanes) {
        for (BlamedLane& lane : lanes) {
            lane.done = from_;
        }
        for (const std::uint64_t stop : stops(lanes)) {
            for (BlamedLane& lane : lanes) {
                add_until(lane, stop);
            }
        }
        for (BlamedLane& lane : lanes) {
            add(*lane.sum, lane.lane, lane.done, to_);
        }
    }

private:
    /// The ends of the chunks of the lane that has most of them.
    [[nodiscard]] std::vector<std::uint64_t> stops(const std::vector<BlamedLane>& lanes) const {
        const auto chunks = [&](const BlamedLane& lane) -> const std::vector<record::StoredChunk>& {
            return recording_.lane(lane.lane).spans->chunks();
        };
        std::vector<std::uint64_t> result;
        const auto longest =
            std::ranges::max_element(lanes, {}, [&](const BlamedLane& lane) { return chunks(lane).size(); });
        if (longest != lanes.end()) {
            for (const record::StoredChunk& chunk : chunks(*longest)) {
                if (chunk.end > from_ && chunk.end < to_) {
                    result.push_back(chunk.end);
                }
            }
        }
        return result;
    }

    // Up to the last span that ends by `stop`, so that no wait is cut in two.
    void add_until(BlamedLane& lane, std::uint64_t stop) {
        const record::Lane& spans = recording_.lane(lane.lane);
        const std::size_t behind = spans.first_ending_after(stop);
        const std::uint64_t end = behind == 0 ? 0 : spans.end[behind - 1];
        if (end > lane.done) {
            add(*lane.sum, lane.lane, lane.done, end);
            lane.done = end;
        }
    }

    void add(RootSum& sum, std::uint32_t number, std::uint64_t from, std::uint64_t to) {
        for_each_stretch(recording_, number, from, to, [&](const Stretch& stretch) {
            if (stretch.reason == Reason::none) {
                return;
            }
            if (outside_program(stretch.reason)) {
                sum.add(kind_outside(stretch.reason), stretch.end - stretch.start);
            } else {
                charge(sum, number, stretch);
            }
        });
    }

    void charge(RootSum& sum, std::uint32_t number, const Stretch& stretch) {
        const record::SpanId span{number, stretch.index};
        stretch.between ? walker_.from_start(span) : walker_.from_wait(span);
        PathSegment segment{.span = span};
        std::uint64_t until = stretch.end;  // the window may cut the wait
        for (std::size_t step = 0; until > stretch.start && step < longest_chain; ++step) {
            const std::optional<PathSegment> next = walker_.next();
            if (!next) {
                break;
            }
            segment = *next;
            const std::uint64_t begin = std::max(segment.start, stretch.start);
            if (begin < until) {
                sum.add(segment, until - begin);
                until = begin;
            }
        }
        if (until > stretch.start) {
            sum.add(segment, until - stretch.start);
        }
    }

    const Recording& recording_;
    PathWalker walker_;
    std::uint64_t from_;
    std::uint64_t to_;
};

/// The cube core and vector cores that work on the same things; the core alone where there are no such
/// groups.
record::TrackPath group_of(const record::TrackPath& path) {
    record::TrackPath group;
    for (const record::TrackSegment& segment : path.segments()) {
        if (segment.kind == record::TrackKind::pipe ||
            (segment.kind == record::TrackKind::core && path.has(record::TrackKind::group))) {
            break;
        }
        group = group / segment;
    }
    return group;
}

}  // namespace

std::vector<Blame> blame_of(const Recording& recording, std::uint64_t from, std::uint64_t to) {
    const std::vector<PipeUnit> units = pipe_units(recording, from, to);
    std::deque<RootSum> sums;
    std::map<record::TrackPath, std::vector<BlamedLane>> groups;
    for (const PipeUnit& unit : units) {
        sums.emplace_back(recording);
        for (const std::uint32_t number : unit.lanes) {
            groups[group_of(recording.lane(number).path)].push_back({.lane = number, .sum = &sums.back()});
        }
    }
    Blamer blamer{recording, from, to};
    for (auto& [path, lanes] : groups) {
        blamer.add(std::move(lanes));
    }
    std::vector<Blame> result;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        result.push_back({units[unit].name, sums[unit].total(), sums[unit].result()});
    }
    return result;
}

}  // namespace ascendsim::analysis
