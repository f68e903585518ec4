// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/advice/inserted_advice.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/analysis/auto_sync.hpp"
#include "app/analysis/file_name.hpp"

namespace ascendsim::analysis {

std::uint64_t inserted_cycles(const CriticalPath& path, const record::Recording& recording) {
    std::uint64_t cycles = 0;
    for (std::size_t i = 0; i < path.segments.size(); ++i) {
        const PathSegment& segment = path.segments[i];
        if (!recording.contains(segment.span)) {
            continue;
        }
        const record::Lane& lane = recording.lane(segment.span.lane);
        if (!is_inserted(recording.name(lane.op[segment.span.index]))) {
            continue;
        }
        cycles += segment.cycles();
        const bool waited = i > 0 && path.segments[i - 1].kind == PathKind::latency;
        cycles += waited ? path.segments[i - 1].cycles() : 0;
    }
    return cycles;
}

std::string inserted_remedy(const AutoSyncFigures& figures) {
    if (figures.spare * 2 >= figures.count()) {
        return "Most of the synchronisation that the compiler inserts orders what the chip keeps in order by "
               "itself: compile with --cce-auto-sync=off and set the barriers and flags that data need";
    }
    return "The synchronisation that the compiler inserts waits for each result before the next instruction: "
           "put "
           "independent instructions between those that depend on each other (two tiles in turn), or compile "
           "with --cce-auto-sync=off and let one barrier serve several instructions";
}

std::string inserted_evidence(const AutoSyncFigures& figures, double share) {
    constexpr std::size_t most = 3;
    std::string text = fmt::format("{:.1f} % of the critical path at inserted barriers ({}) and flags ({})",
                                   share * 100,
                                   figures.barriers,
                                   figures.flags);
    if (figures.spare != 0) {
        text += fmt::format(", {} of which order a write behind a read", figures.spare);
    }
    for (std::size_t i = 0; i < std::min(most, figures.places.size()); ++i) {
        const InsertedAt& place = figures.places[i];
        text += fmt::format("{}{}:{} ({} cycles at {} {})",
                            i == 0 ? "; most before " : ", ",
                            file_name(place.file),
                            place.line,
                            place.cycles,
                            place.count,
                            place.is_barrier() ? "barriers" : "flags");
    }
    return text;
}

}  // namespace ascendsim::analysis
