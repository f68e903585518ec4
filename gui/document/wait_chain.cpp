// SPDX-License-Identifier: Apache-2.0
#include "gui/document/wait_chain.hpp"

#include <optional>

#include "app/analysis/lane_use.hpp"

namespace ascendsim::gui {
namespace {

/// The cycle from which on the stretch could have gone on, had nothing held it up.
std::uint64_t free_since(const Run& run, const Pick& pick) {
    if (pick.waits()) {
        return pick.stretch.start;
    }
    const record::Lane& lane = run.recording().lane(pick.lane);
    std::size_t i = pick.stretch.index;
    while (i > 0 && lane.reason[i - 1] != record::Reason::none &&
           !analysis::outside_program(lane.reason[i - 1])) {
        --i;
    }
    return i == 0 ? 0 : lane.end[i - 1];
}

bool joins(const analysis::PathSegment& a, const analysis::PathSegment& b) {
    return a.kind == b.kind && a.span.lane == b.span.lane && a.span.index == b.span.index;
}

}  // namespace

std::vector<analysis::PathSegment> wait_chain(const Run& run, const Pick& pick, std::size_t most) {
    std::vector<analysis::PathSegment> chain;
    if (analysis::outside_program(pick.stretch.reason) ||
        pick.stretch.index >= run.recording().lane(pick.lane).size()) {
        return chain;
    }
    const std::uint64_t begin = free_since(run, pick);
    analysis::PathWalker walker{run.recording()};
    pick.waits() && !pick.stretch.between ? walker.from_wait(pick.span()) : walker.from_start(pick.span());
    constexpr int most_steps = 4096;
    for (int step = 0; step < most_steps && walker.time() > begin && chain.size() < most; ++step) {
        const std::optional<analysis::PathSegment> segment = walker.next();
        if (!segment) {
            break;
        }
        if (segment->cycles() == 0) {
            continue;
        }
        if (!chain.empty() && joins(chain.back(), *segment)) {
            chain.back().start = segment->start;
        } else {
            chain.push_back(*segment);
        }
    }
    return chain;
}

}  // namespace ascendsim::gui
