// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lanes/lane.hpp"

#include <utility>

namespace ascendsim::record {

TransferColumns::TransferColumns(const LaneSpans& spans)
    : row{spans},
      gm_offset{spans},
      requests{spans},
      l2_hit_bytes{spans},
      hbm_read_bytes{spans},
      hbm_write_bytes{spans},
      route{spans},
      limiter{spans} {}

Lane::Lane(TrackPath track)
    : path{std::move(track)},
      spans{std::make_unique<LaneSpans>()},
      issue{*spans},
      start{*spans},
      end{*spans},
      complete{*spans},
      op{*spans},
      site{*spans},
      offset{*spans},
      bytes{*spans},
      work{*spans},
      conflict{*spans},
      culprit_lane{*spans},
      culprit_index{*spans},
      reason{*spans},
      memory{*spans},
      transfers{*spans} {}

Span Lane::span(std::size_t i) const {
    const std::size_t transfer = first_transfer_from(i);
    const ChunkColumns& from = spans->with(i);
    const std::size_t k = i - from.first;
    Span span{.issue = from.issue[k],
              .start = from.start[k],
              .end = from.end[k],
              .complete = from.complete[k],
              .op = from.op[k],
              .site = from.site[k],
              .reason = from.reason[k],
              .memory = from.memory[k],
              .offset = from.offset[k],
              .bytes = from.bytes[k],
              .work = from.work[k],
              .conflict = from.conflict[k],
              .culprit = {from.culprit_lane[k], from.culprit_index[k]}};
    const std::size_t at = transfer - from.transfer_first;
    if (at < from.transfers() && from.transfer_row[at] == i) {
        span.route = from.route[at];
        span.limiter = from.limiter[at];
        span.requests = from.requests[at];
        span.gm_offset = from.gm_offset[at];
        span.l2_hit_bytes = from.l2_hit_bytes[at];
        span.hbm_read_bytes = from.hbm_read_bytes[at];
        span.hbm_write_bytes = from.hbm_write_bytes[at];
    }
    return span;
}

}  // namespace ascendsim::record
