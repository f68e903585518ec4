// SPDX-License-Identifier: Apache-2.0
#include "sim/record/span_chunk.hpp"

#include <algorithm>

namespace ascendsim::record {

void SpanChunk::grow() {
    constexpr std::uint32_t smallest = 16;
    constexpr std::uint32_t factor = 16;
    const std::uint32_t larger = std::min(chunk_rows, std::max(smallest, capacity * factor));
    // Uninitialised on purpose: pages that hold no span yet are never touched.
    std::unique_ptr<SpanRow[]> more_rows{new SpanRow[larger]};
    std::unique_ptr<TransferRow[]> more_transfers{new TransferRow[larger]};
    std::copy_n(rows.get(), count, more_rows.get());
    std::copy_n(transfers.get(), transfer_count, more_transfers.get());
    rows = std::move(more_rows);
    transfers = std::move(more_transfers);
    capacity = larger;
}

WideTimes SpanChunk::times(std::uint32_t row) const {
    const auto found = std::ranges::find(wide, row, &WideTimes::row);
    return found != wide.end() ? *found
                               : WideTimes{row, rows[row].duration, rows[row].latency, rows[row].lead};
}

std::uint64_t SpanChunk::end() const {
    return count == 0 ? base : rows[count - 1].start + times(count - 1).duration;
}

}  // namespace ascendsim::record
