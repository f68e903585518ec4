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
#include "sim/record/lane_totals.hpp"
#include "sim/record/span.hpp"

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

/// The columns that only spans with a culprit, or only transfers, have.
enum class CulpritColumn : std::uint8_t { lane, index };
inline constexpr std::size_t culprit_column_count = 2;
enum class TransferColumn : std::uint8_t { route, limiter, requests, gm_offset, l2_hit, hbm_read, hbm_write };
inline constexpr std::size_t transfer_column_count = 7;

/// Parts of the `kind` column: the reason in the low bits, then these, then the memory.
inline constexpr std::uint32_t kind_reason_mask = 0x3fU;
inline constexpr std::uint32_t kind_culprit = 0x40U;
inline constexpr std::uint32_t kind_transfer = 0x80U;
inline constexpr unsigned kind_memory_shift = 8;

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

/// Collects the spans of one lane, column by column, until they fill a chunk.
class SpanBuffer {
public:
    /// Most bytes of a chunk's column block, less its wide values.
    static constexpr std::size_t block_bound =
        (column_count + culprit_column_count + transfer_column_count) * (16 + std::size_t{chunk_rows} * 8) +
        16;

    explicit SpanBuffer(std::uint32_t lane);

    /// Adds a span and returns its index in the lane. There must be room: see full().
    std::uint64_t append(const Span& span) {
        const std::uint32_t row = rows_;
        const std::uint64_t gap = span.start - last_end_;
        const std::uint64_t duration = span.end - span.start;
        const std::uint64_t latency = span.complete - span.end;
        const std::uint64_t lead = span.start - span.issue;
        last_end_ = span.end;
        put(Column::gap, row, static_cast<std::uint32_t>(gap));
        put(Column::duration, row, static_cast<std::uint32_t>(duration));
        put(Column::latency, row, static_cast<std::uint32_t>(latency));
        put(Column::lead, row, static_cast<std::uint32_t>(lead));
        if (((gap | duration | latency | lead) >> 32U) != 0) [[unlikely]] {
            keep_wide_times(row, {gap, duration, latency, lead});
        }
        std::uint32_t kind = static_cast<std::uint32_t>(span.reason) | std::uint32_t{span.memory}
                                                                           << kind_memory_shift;
        if (span.culprit.valid()) {
            kind |= kind_culprit;
            append_culprit(span.culprit);
        }
        if (span.route != Span::route_none) {
            kind |= kind_transfer;
            append_transfer(span);
        }
        put(Column::op, row, span.op);
        put(Column::site, row, span.site);
        put(Column::kind, row, kind);
        put(Column::offset, row, span.offset);
        put(Column::bytes, row, span.bytes);
        put(Column::work, row, span.work);
        put(Column::conflict, row, span.conflict);
        std::atomic_signal_fence(std::memory_order_release);  // a signal handler that encodes sees whole rows
        rows_ = row + 1;
        return first_ + row;
    }

    [[nodiscard]] bool full() const { return rows_ == chunk_rows; }

    [[nodiscard]] bool empty() const { return rows_ == 0; }

    /// Spans ever appended.
    [[nodiscard]] std::uint64_t count() const { return first_ + rows_; }

    /// What the chunk's frame starts with, less the size of its block.
    [[nodiscard]] SpansHeader header() const {
        return {.lane = lane_, .rows = rows_, .first = first_, .base = base_};
    }

    /// Most bytes encode() may write now.
    [[nodiscard]] std::size_t bound() const { return block_bound + wide_.size() * sizeof(WideValue); }

    /// Writes the chunk's columns. `last_of_lane` is scratch memory with a place for every lane, in any
    /// state.
    void encode(ByteWriter& to, std::span<std::uint64_t> last_of_lane);
    /// Adds the chunk's spans to the lane's totals; to be called once, before restart().
    void add_to(LaneTotals& totals) const;
    /// Forgets the chunk's spans and begins the next chunk.
    void restart();

private:
    struct Values {
        std::array<std::uint32_t, chunk_rows> values;
        std::array<std::uint32_t, 16> padding;  // keeps columns out of each other's cache sets
    };

    // Uninitialised on purpose: pages of a lane that stays short, or has no transfers, are never touched.
    struct Columns {
        std::array<Values, column_count> main;
        std::array<Values, culprit_column_count> culprit;
        std::array<Values, transfer_column_count> transfer;
        std::array<std::uint64_t, chunk_rows> culprit_index;
        std::array<std::uint64_t, chunk_rows> gm_offset;
    };

    void put(Column column, std::uint32_t row, std::uint32_t value) {
        columns_->main[static_cast<std::size_t>(column)].values[row] = value;
    }

    void put(TransferColumn column, std::uint32_t value) {
        columns_->transfer[static_cast<std::size_t>(column)].values[transfers_] = value;
    }

    void append_culprit(SpanId culprit) {
        columns_->culprit[0].values[culprits_] = culprit.lane;
        columns_->culprit_index[culprits_++] = culprit.index;
    }

    void append_transfer(const Span& span) {
        put(TransferColumn::route, span.route);
        put(TransferColumn::limiter, static_cast<std::uint32_t>(span.limiter));
        put(TransferColumn::requests, span.requests);
        put(TransferColumn::l2_hit, span.l2_hit_bytes);
        put(TransferColumn::hbm_read, span.hbm_read_bytes);
        put(TransferColumn::hbm_write, span.hbm_write_bytes);
        std::uint64_t& last = last_offset_[span.site % offset_slots];
        columns_->gm_offset[transfers_++] = zigzag(span.gm_offset - last);
        last = span.gm_offset;
    }

    void keep_wide_times(std::uint32_t row, std::array<std::uint64_t, 4> times);
    void count_kinds();
    void make_culprit_columns(std::span<std::uint64_t> last_of_lane);
    void make_offset_column();
    void narrow(std::uint32_t column, Values& to, std::uint32_t row, std::uint64_t value);

    std::uint32_t lane_;
    std::uint32_t rows_ = 0;
    std::uint32_t culprits_ = 0;
    std::uint32_t transfers_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t base_ = 0;
    std::uint64_t last_end_ = 0;
    std::array<std::uint64_t, offset_slots> last_offset_{};
    std::unique_ptr<Columns> columns_;
    std::vector<WideValue> wide_;
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

inline constexpr std::uint32_t time_column_count = 4;

}  // namespace ascendsim::record
