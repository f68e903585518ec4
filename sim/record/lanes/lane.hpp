// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <vector>

#include "sim/record/lanes/lane_spans.hpp"
#include "sim/record/span.hpp"
#include "sim/record/track_path.hpp"

namespace ascendsim::record {

/// A column of a lane: reads like an array, decodes the chunk that an element lies in.
template <class T, std::vector<T> ChunkColumns::*column, bool of_transfers = false>
class LaneColumn {
public:
    class Iterator {
    public:
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using iterator_category = std::input_iterator_tag;
        using reference = T;
        using pointer = void;

        Iterator() = default;

        Iterator(const LaneColumn& of, std::size_t at) : of_{&of}, at_{at} {}

        T operator*() const { return (*of_)[at_]; }

        Iterator& operator++() {
            ++at_;
            return *this;
        }

        Iterator operator++(int) {
            Iterator before = *this;
            ++at_;
            return before;
        }

        friend bool operator==(const Iterator&, const Iterator&) = default;

    private:
        const LaneColumn* of_ = nullptr;
        std::size_t at_ = 0;
    };

    using value_type = T;

    explicit LaneColumn(const LaneSpans& spans) : spans_{&spans} {}

    [[nodiscard]] T operator[](std::size_t i) const {
        if constexpr (of_transfers) {
            const ChunkColumns& chunk = spans_->with_transfer(i);
            return (chunk.*column)[i - chunk.transfer_first];
        } else {
            const ChunkColumns& chunk = spans_->with(i);
            return (chunk.*column)[i - chunk.first];
        }
    }

    [[nodiscard]] std::size_t size() const { return of_transfers ? spans_->transfers() : spans_->size(); }

    [[nodiscard]] bool empty() const { return size() == 0; }

    [[nodiscard]] T front() const { return (*this)[0]; }

    [[nodiscard]] T back() const { return (*this)[size() - 1]; }

    [[nodiscard]] Iterator begin() const { return {*this, 0}; }

    [[nodiscard]] Iterator end() const { return {*this, size()}; }

private:
    const LaneSpans* spans_;
};

/// The transfers of a lane: entry i belongs to the span with index row[i]; rows ascend. Fields as in Span.
struct TransferColumns {
    template <class T, std::vector<T> ChunkColumns::*column>
    using Of = LaneColumn<T, column, true>;

    explicit TransferColumns(const LaneSpans& spans);

    Of<std::uint32_t, &ChunkColumns::transfer_row> row;
    Of<std::uint64_t, &ChunkColumns::gm_offset> gm_offset;
    Of<std::uint32_t, &ChunkColumns::requests> requests;
    Of<std::uint32_t, &ChunkColumns::l2_hit_bytes> l2_hit_bytes;
    Of<std::uint32_t, &ChunkColumns::hbm_read_bytes> hbm_read_bytes;
    Of<std::uint32_t, &ChunkColumns::hbm_write_bytes> hbm_write_bytes;
    Of<std::uint8_t, &ChunkColumns::route> route;
    Of<Limiter, &ChunkColumns::limiter> limiter;

    [[nodiscard]] std::size_t size() const { return row.size(); }
};

/// The spans of one lane, column by column, in order of time. Fields as in Span. An element is decoded when
/// it is asked for, so a pass over millions goes from the front to the back; see LaneSpans.
struct Lane {
    explicit Lane(TrackPath track);

    TrackPath path;
    std::optional<std::uint32_t> core_index;  // Recorder::core_index(); none outside of cores
    std::unique_ptr<LaneSpans> spans;
    LaneColumn<std::uint64_t, &ChunkColumns::issue> issue;
    LaneColumn<std::uint64_t, &ChunkColumns::start> start;
    LaneColumn<std::uint64_t, &ChunkColumns::end> end;
    LaneColumn<std::uint64_t, &ChunkColumns::complete> complete;
    LaneColumn<std::uint32_t, &ChunkColumns::op> op;
    LaneColumn<std::uint32_t, &ChunkColumns::site> site;
    LaneColumn<std::uint32_t, &ChunkColumns::offset> offset;
    LaneColumn<std::uint32_t, &ChunkColumns::bytes> bytes;
    LaneColumn<std::uint32_t, &ChunkColumns::work> work;
    LaneColumn<std::uint32_t, &ChunkColumns::conflict> conflict;
    LaneColumn<std::uint32_t, &ChunkColumns::culprit_lane> culprit_lane;
    LaneColumn<std::uint32_t, &ChunkColumns::culprit_index> culprit_index;
    LaneColumn<Reason, &ChunkColumns::reason> reason;
    LaneColumn<std::uint8_t, &ChunkColumns::memory> memory;
    TransferColumns transfers;

    [[nodiscard]] std::size_t size() const { return spans->size(); }

    [[nodiscard]] bool empty() const { return size() == 0; }

    [[nodiscard]] SpanId culprit(std::size_t i) const { return {culprit_lane[i], culprit_index[i]}; }

    /// Index of the first span that ends after `cycle`; size() if none does.
    [[nodiscard]] std::size_t first_ending_after(std::uint64_t cycle) const {
        return spans->first_ending_after(cycle);
    }

    /// Index of the first span that starts at `cycle` or later; size() if none does.
    [[nodiscard]] std::size_t first_starting_from(std::uint64_t cycle) const {
        return spans->first_starting_from(cycle);
    }

    /// Whether more than `count` spans are at least partly in cycles [from, to).
    [[nodiscard]] bool has_more_than(std::size_t count, std::uint64_t from, std::uint64_t to) const {
        return spans->has_more_than(count, from, to);
    }

    /// Index of the first transfer of span i or a later one; transfers.size() if there is none.
    [[nodiscard]] std::size_t first_transfer_from(std::size_t i) const {
        return spans->first_transfer_from(i);
    }

    /// The whole of a span.
    [[nodiscard]] Span span(std::size_t i) const;
};

/// Calls `visit(const ChunkColumns&, k, i)` for the spans of a lane from index `i` on, in order, span i being
/// element k of the chunk, for as long as it returns true. The quickest way through many spans; `visit` may
/// read other lanes.
template <class Visit>
void for_each_span(const Lane& lane, std::size_t i, Visit visit) {
    while (i < lane.size()) {
        const std::shared_ptr<const ChunkColumns> chunk = lane.spans->hold(i);
        for (std::size_t k = i - chunk->first; k < chunk->size(); ++k, ++i) {
            if (!visit(*chunk, k, i)) {
                return;
            }
        }
    }
}

}  // namespace ascendsim::record
