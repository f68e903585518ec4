// SPDX-License-Identifier: Apache-2.0
#include "app/analysis/recorded_sums.hpp"

#include <algorithm>

namespace ascendsim::analysis {

namespace {

using record::Lane;
using record::Recording;

record::SpanRow row_of(const Recording& recording, const record::ChunkColumns& from, std::size_t k) {
    record::SpanRow row{.start = from.start[k],
                        .op = from.op[k],
                        .site = from.site[k],
                        .kind = static_cast<std::uint32_t>(from.reason[k]) | std::uint32_t{from.memory[k]}
                                                                                 << record::kind_memory_shift,
                        .bytes = from.bytes[k],
                        .work = from.work[k],
                        .conflict = from.conflict[k]};
    if (const record::SpanId culprit{from.culprit_lane[k], from.culprit_index[k]};
        recording.contains(culprit)) {
        const record::ChunkColumns& of = recording.lane(culprit.lane).spans->with(culprit.index);
        const std::size_t at = culprit.index - of.first;
        row.kind |= record::kind_culprit;
        row.culprit_lane = culprit.lane;
        row.culprit_index = culprit.index;
        row.culprit_what = record::what_of(of.op[at], of.site[at]);
    }
    return row;
}

record::TransferRow transfer_of(const record::ChunkColumns& from, std::size_t i) {
    return {.gm_offset = from.gm_offset[i],
            .route = from.route[i],
            .limiter = static_cast<std::uint32_t>(from.limiter[i]),
            .requests = from.requests[i],
            .l2_hit_bytes = from.l2_hit_bytes[i],
            .hbm_read_bytes = from.hbm_read_bytes[i],
            .hbm_write_bytes = from.hbm_write_bytes[i]};
}

}  // namespace

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
    std::size_t transfer = lane.first_transfer_from(first);
    record::for_each_span(lane, first, [&](const record::ChunkColumns& chunk, std::size_t k, std::size_t i) {
        if (chunk.start[k] >= to) {
            return false;
        }
        record::SpanRow row = row_of(recording, chunk, k);
        row.start = std::max(row.start, from);
        const std::uint64_t duration = std::min(chunk.end[k], to) - row.start;
        const std::size_t at = transfer - chunk.transfer_first;
        if (at < chunk.transfers() && chunk.transfer_row[at] == i) {
            const record::TransferRow moved = transfer_of(chunk, at);
            ++transfer;
            sums.add(row, duration, i, &moved);
        } else {
            sums.add(row, duration, i, nullptr);
        }
        return true;
    });
    return sums;
}

std::vector<record::LaneSums> sums_of(const Recording& recording, std::uint64_t from, std::uint64_t to) {
    std::vector<record::LaneSums> sums;
    for (const Lane& lane : recording.lanes()) {
        sums.push_back(sums_of_lane(recording, lane, from, to));
    }
    return sums;
}

}  // namespace ascendsim::analysis
