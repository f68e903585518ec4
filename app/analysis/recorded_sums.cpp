// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/recorded_sums.hpp"

#include <algorithm>

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Recording;

record::SpanRow row_of(const Recording& recording, const Lane& lane, std::size_t i) {
    record::SpanRow row{.start = lane.start[i],
                        .op = lane.op[i],
                        .site = lane.site[i],
                        .kind = static_cast<std::uint32_t>(lane.reason[i]) | std::uint32_t{lane.memory[i]}
                                                                                 << record::kind_memory_shift,
                        .bytes = lane.bytes[i],
                        .work = lane.work[i],
                        .conflict = lane.conflict[i]};
    if (const record::SpanId culprit = lane.culprit(i); recording.contains(culprit)) {
        const Lane& other = recording.lane(culprit.lane);
        row.kind |= record::kind_culprit;
        row.culprit_lane = culprit.lane;
        row.culprit_index = culprit.index;
        row.culprit_what = record::what_of(other.op[culprit.index], other.site[culprit.index]);
    }
    return row;
}

record::TransferRow transfer_of(const record::TransferColumns& from, std::size_t i) {
    return {.gm_offset = from.gm_offset[i],
            .route = from.route[i],
            .limiter = static_cast<std::uint32_t>(from.limiter[i]),
            .requests = from.requests[i],
            .l2_hit_bytes = from.l2_hit_bytes[i],
            .hbm_read_bytes = from.hbm_read_bytes[i],
            .hbm_write_bytes = from.hbm_write_bytes[i]};
}

record::LaneSums sums_of_lane(const Recording& recording,
                              const Lane& lane,
                              std::uint64_t from,
                              std::uint64_t to) {
    record::LaneSums sums;
    const std::size_t first = lane.first_ending_after(from);
    if (first > 0) {  // says where the lane began, and that there was something before
        sums.add(record::SpanRow{.start = lane.start[0]}, lane.end[0] - lane.start[0], 0, nullptr);
    }
    sums.begin_at(from);
    const std::vector<std::uint32_t>& rows = lane.transfers.row;
    auto transfer = std::ranges::lower_bound(rows, first);
    for (std::size_t i = first; i < lane.size() && lane.start[i] < to; ++i) {
        record::SpanRow row = row_of(recording, lane, i);
        row.start = std::max(row.start, from);
        const std::uint64_t duration = std::min(lane.end[i], to) - row.start;
        if (transfer != rows.end() && *transfer == i) {
            const record::TransferRow moved =
                transfer_of(lane.transfers, static_cast<std::size_t>(transfer++ - rows.begin()));
            sums.add(row, duration, i, &moved);
        } else {
            sums.add(row, duration, i, nullptr);
        }
    }
    return sums;
}

}  // namespace

std::vector<record::LaneSums> sums_of(const Recording& recording, std::uint64_t from, std::uint64_t to) {
    std::vector<record::LaneSums> sums;
    for (const Lane& lane : recording.lanes()) {
        sums.push_back(sums_of_lane(recording, lane, from, to));
    }
    return sums;
}

}  // namespace ascendsim::analysis
