// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/record/format.hpp"
#include "sim/record/span.hpp"

namespace ascendsim::record {

/// Parts of a row's `kind`, which is also a column of the file: the reason in the low bits, then these, then
/// the memory.
inline constexpr std::uint32_t kind_reason_mask = 0x1fU;
inline constexpr std::uint32_t kind_inside = 0x20U;
inline constexpr std::uint32_t kind_culprit = 0x40U;
inline constexpr std::uint32_t kind_transfer = 0x80U;
inline constexpr unsigned kind_memory_shift = 8;

/// A span that waits to be written: one cache line, so that appending touches no other.
struct alignas(64) SpanRow {
    std::uint64_t start;
    std::uint32_t duration;  // the low 32 bits; see WideTimes
    std::uint32_t latency;   // complete - end
    std::uint32_t lead;      // start - issue
    std::uint32_t op;
    std::uint32_t site;
    std::uint32_t kind;
    std::uint32_t offset;
    std::uint32_t bytes;
    std::uint32_t work;
    std::uint32_t conflict;
    std::uint32_t culprit_lane;
    std::uint32_t culprit_what;
    std::uint64_t culprit_index;
};

static_assert(sizeof(SpanRow) == 64);

/// What only transfers have, in the order of their rows.
struct TransferRow {
    std::uint64_t gm_offset;
    std::uint32_t route;
    std::uint32_t limiter;
    std::uint32_t requests;
    std::uint32_t l2_hit_bytes;
    std::uint32_t hbm_read_bytes;
    std::uint32_t hbm_write_bytes;
};

/// Times of a row of which one needs more than 32 bits.
struct WideTimes {
    std::uint32_t row = 0;
    std::uint64_t duration = 0;
    std::uint64_t latency = 0;
    std::uint64_t lead = 0;
};

/// Consecutive spans of one lane. Memory grows with the spans: most lanes of a short run have a few.
struct SpanChunk {
    std::uint32_t lane = 0;
    std::uint32_t count = 0;
    std::uint32_t transfer_count = 0;  // one more while a row is being written
    std::uint32_t capacity = 0;
    std::uint64_t first = 0;          // index of the first span in its lane
    std::uint64_t base = 0;           // end of the span before it, in cycles
    std::unique_ptr<SpanRow[]> rows;  // NOLINT(modernize-avoid-c-arrays): grown by hand, not initialised
    std::unique_ptr<TransferRow[]> transfers;  // NOLINT(modernize-avoid-c-arrays)
    std::vector<WideTimes> wide;

    /// Makes room for more spans, at most chunk_rows in all.
    void grow();
    /// The end of the last span; `base` if there is none.
    [[nodiscard]] std::uint64_t end() const;
    /// The times of a row, put back to their width.
    [[nodiscard]] WideTimes times(std::uint32_t row) const;
};

}  // namespace ascendsim::record
