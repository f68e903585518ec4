// SPDX-License-Identifier: Apache-2.0
#include "kernels/testing/overlap.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "sim/record/occupancy.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::testing {
namespace {

struct Interval {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
};

using Intervals = std::vector<Interval>;

void add_busy(const record::Recording& recording, std::uint32_t lane, Intervals& intervals) {
    record::for_each_stretch(recording, lane, 0, recording.cycles(), [&](const record::Stretch& stretch) {
        if (stretch.reason == record::Reason::none) {
            intervals.push_back({stretch.start, stretch.end});
        }
    });
}

// In order, without overlaps.
Intervals merged(Intervals intervals) {
    std::ranges::sort(intervals, {}, &Interval::start);
    Intervals result;
    for (const Interval& next : intervals) {
        if (!result.empty() && next.start <= result.back().end) {
            result.back().end = std::max(result.back().end, next.end);
        } else {
            result.push_back(next);
        }
    }
    return result;
}

std::uint64_t length(const Intervals& intervals) {
    std::uint64_t sum = 0;
    for (const Interval& interval : intervals) {
        sum += interval.end - interval.start;
    }
    return sum;
}

std::uint64_t common(const Intervals& a, const Intervals& b) {
    std::uint64_t sum = 0;
    std::size_t i = 0;
    std::size_t k = 0;
    while (i < a.size() && k < b.size()) {
        const std::uint64_t start = std::max(a[i].start, b[k].start);
        const std::uint64_t end = std::min(a[i].end, b[k].end);
        sum += end > start ? end - start : 0;
        a[i].end < b[k].end ? ++i : ++k;
    }
    return sum;
}

}  // namespace

Overlap cube_vector_overlap(const std::filesystem::path& file) {
    const record::Recording recording{file};
    std::map<std::uint32_t, Intervals> cube;
    std::map<std::uint32_t, Intervals> vector;
    for (std::uint32_t i = 0; i < recording.lanes().size(); ++i) {
        const record::TrackPath& path = recording.lane(i).path;
        const std::uint32_t group = path.number(record::TrackKind::group).value_or(0);
        if (path.pipe() == "cube") {
            add_busy(recording, i, cube[group]);
        } else if (path.pipe() == "vector") {
            add_busy(recording, i, vector[group]);
        }
    }
    Overlap result;
    for (auto& [group, intervals] : cube) {
        const Intervals of_cube = merged(std::move(intervals));
        const Intervals of_vector = merged(vector[group]);
        result.cube += length(of_cube);
        result.vector += length(of_vector);
        result.both += common(of_cube, of_vector);
    }
    return result;
}

double busy_share(const std::filesystem::path& file, std::string_view pipe) {
    const record::Recording recording{file};
    std::uint64_t busy = 0;
    std::uint64_t lanes = 0;
    for (std::uint32_t i = 0; i < recording.lanes().size(); ++i) {
        if (recording.lane(i).path.pipe() == pipe && !recording.lane(i).empty()) {
            Intervals intervals;
            add_busy(recording, i, intervals);
            busy += length(intervals);
            ++lanes;
        }
    }
    return lanes == 0 ? 0.0 : static_cast<double>(busy) / static_cast<double>(lanes * recording.cycles());
}

}  // namespace ascendsim::testing
