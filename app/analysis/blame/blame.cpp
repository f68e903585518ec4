// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/blame/blame.hpp"

#include <algorithm>

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

class Blamer {
public:
    explicit Blamer(const Recording& recording) : recording_{recording}, walker_{recording} {}

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

private:
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
};

}  // namespace

std::vector<Blame> blame_of(const Recording& recording, std::uint64_t from, std::uint64_t to) {
    std::vector<Blame> result;
    Blamer blamer{recording};
    for (const PipeUnit& unit : pipe_units(recording, from, to)) {
        RootSum sum{recording};
        for (const std::uint32_t number : unit.lanes) {
            blamer.add(sum, number, from, to);
        }
        result.push_back({unit.name, sum.total(), sum.result()});
    }
    return result;
}

}  // namespace ascendsim::analysis
