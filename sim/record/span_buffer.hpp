// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/record/byte_stream.hpp"
#include "sim/record/column_codec.hpp"
#include "sim/record/format.hpp"
#include "sim/record/span.hpp"
#include "sim/record/span_chunk.hpp"

namespace ascendsim::record {

/// The columns every span of a chunk has. Times are differences, so that a loop's rows look alike.
enum class Column : std::uint8_t {
    gap,
    duration,
    latency,
    lead,
    op,
    site,
    kind,
    offset,
    bytes,
    work,
    conflict
};
inline constexpr std::size_t column_count = 11;
inline constexpr std::uint32_t time_column_count = 4;  // the first ones; their values may be wide

/// The columns that only spans with a culprit, or only transfers, have.
enum class CulpritColumn : std::uint8_t { lane, index };
inline constexpr std::size_t culprit_column_count = 2;
enum class TransferColumn : std::uint8_t { route, limiter, requests, gm_offset, l2_hit, hbm_read, hbm_write };
inline constexpr std::size_t transfer_column_count = 7;

/// A value of more than 32 bits, put back after the columns are read. Column numbers run through all three
/// sets.
struct WideValue {
    std::uint32_t column = 0;
    std::uint32_t row = 0;
    std::uint64_t value = 0;
};

inline constexpr std::uint32_t culprit_column_base = column_count;
inline constexpr std::uint32_t transfer_column_base = column_count + culprit_column_count;

/// A transfer's place in global memory is stored as the difference to the last one whose site has the same
/// remainder.
inline constexpr std::size_t offset_slots = 8;

/// Collects the spans of one lane until they fill a chunk.
class SpanBuffer {
public:
    explicit SpanBuffer(std::uint32_t lane) {
        chunk_.lane = lane;
        chunk_.grow();
    }

    /// Adds a span and returns its index in the lane. There must be room: see full().
    [[gnu::always_inline]] std::uint64_t append(const Span& span) {
        const std::uint32_t at = chunk_.count;
        const std::uint64_t duration = span.end - span.start;
        const std::uint64_t latency = span.complete - span.end;
        const std::uint64_t lead = span.start - span.issue;
        if (((duration | latency | lead) >> 32U) != 0) [[unlikely]] {
            add_wide({at, duration, latency, lead});
        }
        std::uint32_t kind = static_cast<std::uint32_t>(span.reason) | std::uint32_t{span.memory}
                                                                           << kind_memory_shift;
        kind |= (span.culprit.valid() ? kind_culprit : 0) | (span.inside ? kind_inside : 0);
        if (span.route != Span::route_none) {
            kind |= kind_transfer;
            chunk_.transfers[chunk_.transfer_count++] = {.gm_offset = span.gm_offset,
                                                         .route = span.route,
                                                         .limiter = static_cast<std::uint32_t>(span.limiter),
                                                         .requests = span.requests,
                                                         .l2_hit_bytes = span.l2_hit_bytes,
                                                         .hbm_read_bytes = span.hbm_read_bytes,
                                                         .hbm_write_bytes = span.hbm_write_bytes};
        }
        chunk_.rows[at] = {.start = span.start,
                           .duration = static_cast<std::uint32_t>(duration),
                           .latency = static_cast<std::uint32_t>(latency),
                           .lead = static_cast<std::uint32_t>(lead),
                           .op = span.op,
                           .site = span.site,
                           .kind = kind,
                           .offset = span.offset,
                           .bytes = span.bytes,
                           .work = span.work,
                           .conflict = span.conflict,
                           .culprit_lane = span.culprit.lane,
                           .culprit_what = span.culprit.what,
                           .culprit_index = span.culprit.index};
        std::atomic_signal_fence(std::memory_order_release);  // a signal handler that encodes sees whole rows
        chunk_.count = at + 1;
        // The lane's next rows are asked for now, so that they are there when its turn comes again.
        __builtin_prefetch(&chunk_.rows[at] + 3, 1);
        return chunk_.first + at;
    }

    /// No room: for more rows in the chunk, or, at chunk_rows, for any.
    [[nodiscard]] bool full() const { return chunk_.count == chunk_.capacity; }

    [[nodiscard]] bool empty() const { return chunk_.count == 0; }

    /// Spans ever appended.
    [[nodiscard]] std::uint64_t count() const { return chunk_.first + chunk_.count; }

    [[nodiscard]] SpanChunk& chunk() { return chunk_; }

    [[nodiscard]] std::uint32_t count_in_chunk() const { return chunk_.count; }

    /// Begins the next chunk in the same memory.
    void restart();
    /// Begins the next chunk in `memory`, which may be a used chunk's, and leaves this one there.
    void exchange(SpanChunk& memory);

private:
    [[gnu::noinline]] void add_wide(const WideTimes& times) { chunk_.wide.push_back(times); }

    SpanChunk chunk_;
};

/// Makes a chunk's column block.
class SpanEncoder {
public:
    /// Most bytes of a column block, less its wide values.
    static constexpr std::size_t block_bound =
        (column_count + culprit_column_count + transfer_column_count) * (16 + std::size_t{chunk_rows} * 8) +
        16;

    SpanEncoder() : columns_{new Columns} { wide_.reserve(64); }

    /// Most bytes encode() may write for `chunk`.
    [[nodiscard]] static std::size_t bound(const SpanChunk& chunk) {
        return block_bound + (chunk.wide.size() * time_column_count + chunk.count) * sizeof(WideValue);
    }

    /// Writes the columns of `chunk`. `last_of_lane` is scratch memory with a place for every lane, in any
    /// state.
    void encode(const SpanChunk& chunk, ByteWriter& to, std::span<std::uint64_t> last_of_lane);

private:
    struct Values {
        std::array<std::uint32_t, chunk_rows> values;
        std::array<std::uint32_t, 16> padding;  // keeps columns out of each other's cache sets
    };

    struct Columns {
        std::array<Values, column_count> main;
        std::array<Values, culprit_column_count> culprit;
        std::array<Values, transfer_column_count> transfer;
    };

    void fill_main(const SpanChunk& chunk);
    void fill_culprits(const SpanChunk& chunk, std::span<std::uint64_t> last_of_lane);
    void fill_transfers(const SpanChunk& chunk);
    void widen_times(const SpanChunk& chunk);
    void narrow(std::uint32_t column, Values& to, std::uint32_t row, std::uint64_t value);

    std::unique_ptr<Columns> columns_;
    std::vector<WideValue> wide_;
    std::uint32_t culprits_ = 0;
    std::uint32_t transfers_ = 0;
};

/// One decoded chunk, reused from chunk to chunk.
struct SpanBlock {
    std::array<std::vector<std::uint32_t>, column_count> main;
    std::array<std::vector<std::uint32_t>, transfer_column_count> transfer;
    std::vector<std::uint32_t> culprit_lane;
    std::vector<std::uint64_t> culprit_index;
    std::vector<std::uint64_t> gm_offset;
    std::vector<WideValue> wide_times;  // of the first four columns: more than 32 bits

    /// Reads what SpanBuffer::encode() wrote; throws UserError if it cannot be that.
    void decode(const SpansHeader& header,
                std::span<const std::byte> block,
                std::vector<std::uint64_t>& last_of_lane);

    [[nodiscard]] const std::vector<std::uint32_t>& operator[](Column column) const {
        return main[static_cast<std::size_t>(column)];
    }

    [[nodiscard]] const std::vector<std::uint32_t>& operator[](TransferColumn column) const {
        return transfer[static_cast<std::size_t>(column)];
    }

private:
    void read_wide(ByteReader& from);
    void undo_culprits(std::uint32_t own_lane, std::vector<std::uint64_t>& last_of_lane);
    void undo_offsets();
    void check_kinds() const;
};

}  // namespace ascendsim::record
