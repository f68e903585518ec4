// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/comparison/changed_region.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "app/analysis/run_summary.hpp"

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Recording;

/// The instructions, without waits, that two lanes have in common from their beginning.
struct Common {
    std::vector<std::size_t> a;
    std::vector<std::size_t> b;
    std::vector<std::int64_t> slip;  // how much later each starts in `b`
};

std::vector<std::size_t> instructions(const Lane& lane, std::uint64_t from, std::uint64_t to) {
    std::vector<std::size_t> result;
    for (std::size_t i = lane.first_ending_after(from); i < lane.size() && lane.start[i] < to; ++i) {
        if (lane.reason[i] == record::Reason::none) {
            result.push_back(i);
        }
    }
    return result;
}

Common common_of(const Recording& a, const Lane& lane_a, const Recording& b, const Lane& lane_b) {
    const Reported window_a = reported(a);
    const Reported window_b = reported(b);
    Common common{.a = instructions(lane_a, window_a.from, window_a.to),
                  .b = instructions(lane_b, window_b.from, window_b.to),
                  .slip = {}};
    const std::size_t count = std::min(common.a.size(), common.b.size());
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t at_a = common.a[i];
        const std::size_t at_b = common.b[i];
        if (a.name(lane_a.op[at_a]) != b.name(lane_b.op[at_b])) {
            break;
        }
        common.slip.push_back(static_cast<std::int64_t>(lane_b.start[at_b] - window_b.from) -
                              static_cast<std::int64_t>(lane_a.start[at_a] - window_a.from));
    }
    return common;
}

ChangedRegion region_of(const Lane& lane_a, const Lane& lane_b, const Common& common) {
    constexpr std::size_t parts = 12;
    constexpr std::size_t fewest = 8;
    const std::size_t last = common.slip.size() - 1;
    const std::size_t width = std::min(last, std::max(fewest, common.slip.size() / parts));
    std::size_t best = 0;
    std::int64_t most = -1;
    for (std::size_t i = 0; i + width <= last; ++i) {
        const std::int64_t moved = std::abs(common.slip[i + width] - common.slip[i]);
        if (moved > most) {
            most = moved;
            best = i;
        }
    }
    const std::uint64_t from_a = lane_a.start[common.a[best]];
    const std::uint64_t from_b = lane_b.start[common.b[best]];
    const std::uint64_t length =
        std::max(lane_a.end[common.a[best + width]] - from_a, lane_b.end[common.b[best + width]] - from_b);
    const std::uint64_t margin = length / 10;
    return {.from_a = from_a > margin ? from_a - margin : 0,
            .from_b = from_b > margin ? from_b - margin : 0,
            .length = length + 2 * margin,
            .slip = common.slip[best + width] - common.slip[best]};
}

}  // namespace

std::optional<ChangedRegion> changed_region(const Recording& a, const Recording& b) {
    std::optional<ChangedRegion> result;
    std::int64_t most = 0;
    for (const Lane& lane_a : a.lanes()) {
        const std::optional<std::uint32_t> other = b.find(lane_a.path);
        if (!lane_a.core_index || !other) {
            continue;
        }
        const Lane& lane_b = b.lane(*other);
        const Common common = common_of(a, lane_a, b, lane_b);
        if (common.slip.empty()) {
            continue;
        }
        const auto [least, greatest] = std::ranges::minmax(common.slip);
        const std::int64_t moved = std::max(std::abs(least), std::abs(greatest));
        if (moved > most) {
            most = moved;
            result = region_of(lane_a, lane_b, common);
        }
    }
    return result;
}

}  // namespace ascendsim::analysis
