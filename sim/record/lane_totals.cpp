// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lane_totals.hpp"

#include <algorithm>

namespace ascendsim::record {

void LaneTotals::add(const SpanChunk& chunk) {
    if (chunk.count == 0) {
        return;
    }
    if (chunk.first == 0) {
        first = std::max(chunk.rows[0].start, begin);
    }
    last = std::max(chunk.end(), begin);
    std::uint32_t transfer = 0;
    auto wide = chunk.wide.begin();
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        const SpanRow& row = chunk.rows[i];
        const bool is_wide = wide != chunk.wide.end() && wide->row == i;
        const std::uint64_t duration = is_wide ? wide->duration : row.duration;
        const std::uint64_t latency = is_wide ? wide->latency : row.latency;
        wide += is_wide ? 1 : 0;
        const TransferRow* const moved =
            (row.kind & kind_transfer) != 0 ? &chunk.transfers[transfer++] : nullptr;
        if (row.start + duration <= begin && begin != 0) {
            continue;
        }
        const bool works = (row.kind & kind_reason_mask) == 0;
        busy_cycles += works ? duration : 0;
        if (works || (row.kind & kind_inside) != 0) {
            const std::uint64_t complete = row.start + duration + latency;
            active_cycles += complete - std::min(complete, std::max(row.start, active_until));
            active_until = std::max(active_until, complete);
        }
        conflict_cycles += row.conflict;
        if (moved != nullptr) {
            moved_bytes += row.bytes;
            l2_hit_bytes += moved->l2_hit_bytes;
            hbm_read_bytes += moved->hbm_read_bytes;
            hbm_write_bytes += moved->hbm_write_bytes;
        }
    }
}

}  // namespace ascendsim::record
