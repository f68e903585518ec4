// SPDX-License-Identifier: Apache-2.0
#include "sim/record/span_buffer.hpp"

namespace ascendsim::record {

namespace {

constexpr std::uint32_t low_bits = 0xffffffffU;

// The difference of two lane numbers, small for near neighbours on either side.
std::uint32_t lane_difference(std::uint32_t lane, std::uint32_t own) {
    return static_cast<std::uint32_t>(zigzag(std::uint64_t{lane} - own));
}

}  // namespace

SpanBuffer::SpanBuffer(std::uint32_t lane) : lane_{lane}, columns_{new Columns} {
    wide_.reserve(64);
}

void SpanBuffer::keep_wide_times(std::uint32_t row, std::array<std::uint64_t, 4> times) {
    for (std::uint32_t column = 0; column < times.size(); ++column) {
        if (times[column] > low_bits) {
            wide_.push_back({column, row, times[column]});
        }
    }
}

void SpanBuffer::narrow(std::uint32_t column, Values& to, std::uint32_t row, std::uint64_t value) {
    to.values[row] = static_cast<std::uint32_t>(value);
    if (value > low_bits) [[unlikely]] {
        wide_.push_back({column, row, value});
    }
}

void SpanBuffer::make_culprit_columns(std::span<std::uint64_t> last_of_lane) {
    Values& lanes = columns_->culprit[0];
    Values& indices = columns_->culprit[1];
    for (std::uint32_t i = 0; i < culprits_; ++i) {
        if (lanes.values[i] < last_of_lane.size()) {
            last_of_lane[lanes.values[i]] = 0;
        }
    }
    for (std::uint32_t i = 0; i < culprits_; ++i) {
        const std::uint32_t lane = lanes.values[i];
        const std::uint64_t index = columns_->culprit_index[i];
        const bool known = lane < last_of_lane.size();
        narrow(culprit_column_base + 1, indices, i, zigzag(index - (known ? last_of_lane[lane] : 0)));
        if (known) {
            last_of_lane[lane] = index;
        }
        lanes.values[i] = lane_difference(lane, lane_);
    }
}

void SpanBuffer::make_offset_column() {
    constexpr auto column = static_cast<std::uint32_t>(TransferColumn::gm_offset);
    for (std::uint32_t i = 0; i < transfers_; ++i) {
        narrow(transfer_column_base + column, columns_->transfer[column], i, columns_->gm_offset[i]);
    }
}

// Leaves out what belongs to a row that a signal interrupted.
void SpanBuffer::count_kinds() {
    culprits_ = 0;
    transfers_ = 0;
    for (std::uint32_t row = 0; row < rows_; ++row) {
        const std::uint32_t kind = columns_->main[static_cast<std::size_t>(Column::kind)].values[row];
        culprits_ += (kind & kind_culprit) != 0 ? 1U : 0U;
        transfers_ += (kind & kind_transfer) != 0 ? 1U : 0U;
    }
}

void SpanBuffer::encode(ByteWriter& to, std::span<std::uint64_t> last_of_lane) {
    count_kinds();
    make_culprit_columns(last_of_lane);
    make_offset_column();
    to.put(culprits_);
    to.put(transfers_);
    for (const Values& column : columns_->main) {
        encode_column(std::span{column.values}.first(rows_), to);
    }
    for (const Values& column : columns_->culprit) {
        encode_column(std::span{column.values}.first(culprits_), to);
    }
    for (const Values& column : columns_->transfer) {
        encode_column(std::span{column.values}.first(transfers_), to);
    }
    to.put(static_cast<std::uint32_t>(wide_.size()));
    to.put_bytes(wide_.data(), wide_.size() * sizeof(WideValue));
}

void SpanBuffer::restart() {
    first_ += rows_;
    base_ = last_end_;
    rows_ = 0;
    culprits_ = 0;
    transfers_ = 0;
    last_offset_ = {};
    wide_.clear();
}

namespace {

std::uint64_t lane_of(std::uint64_t difference, std::uint32_t own) {
    return (own + unzigzag(difference)) & low_bits;
}

void undo_culprits(const SpansHeader& header,
                   std::array<std::vector<std::uint64_t>, culprit_column_count>& culprit,
                   std::vector<std::uint64_t>& last_of_lane) {
    auto& [lanes, indices] = culprit;
    for (std::uint64_t& lane : lanes) {
        lane = lane_of(lane, header.lane);
        if (lane < last_of_lane.size()) {
            last_of_lane[lane] = 0;
        }
    }
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const bool known = lanes[i] < last_of_lane.size();
        indices[i] = unzigzag(indices[i]) + (known ? last_of_lane[lanes[i]] : 0);
        if (known) {
            last_of_lane[lanes[i]] = indices[i];
        }
    }
}

void undo_offsets(const std::vector<std::uint64_t>& kinds,
                  const std::vector<std::uint64_t>& sites,
                  std::vector<std::uint64_t>& offsets) {
    std::array<std::uint64_t, offset_slots> last{};
    std::size_t at = 0;
    for (std::size_t row = 0; row < kinds.size() && at < offsets.size(); ++row) {
        if ((kinds[row] & kind_transfer) != 0) {
            std::uint64_t& before = last[sites[row] % offset_slots];
            before += unzigzag(offsets[at]);
            offsets[at++] = before;
        }
    }
}

void check_counts(const SpansHeader& header, std::uint32_t culprits, std::uint32_t transfers) {
    if (header.rows > chunk_rows || culprits > header.rows || transfers > header.rows) {
        throw UserError{"the recording is damaged: a chunk claims {} spans", header.rows};
    }
}

void check_kinds(const std::vector<std::uint64_t>& kinds, std::size_t culprits, std::size_t transfers) {
    std::size_t with_culprit = 0;
    std::size_t with_transfer = 0;
    for (const std::uint64_t kind : kinds) {
        with_culprit += (kind & kind_culprit) != 0 ? 1U : 0U;
        with_transfer += (kind & kind_transfer) != 0 ? 1U : 0U;
        if ((kind & kind_reason_mask) >= reason_count) {
            throw UserError{"the recording is damaged: reason number {}", kind & kind_reason_mask};
        }
    }
    if (with_culprit != culprits || with_transfer != transfers) {
        throw UserError{"the recording is damaged: a chunk's columns disagree in length"};
    }
}

}  // namespace

void SpanBlock::decode(const SpansHeader& header,
                       std::span<const std::byte> block,
                       std::vector<std::uint64_t>& last_of_lane) {
    ByteReader from{block};
    const auto culprits = from.get<std::uint32_t>();
    const auto transfers = from.get<std::uint32_t>();
    check_counts(header, culprits, transfers);
    std::vector<std::vector<std::uint64_t>*> all;
    const auto read = [&](auto& columns, std::uint32_t rows) {
        for (std::vector<std::uint64_t>& column : columns) {
            column_.resize(rows);
            decode_column(from, column_);
            column.assign(column_.begin(), column_.end());
            all.push_back(&column);
        }
    };
    read(main, header.rows);
    read(culprit, culprits);
    read(transfer, transfers);
    const auto wide_count = from.get<std::uint32_t>();
    for (std::uint32_t i = 0; i < wide_count; ++i) {
        const auto wide = from.get<WideValue>();
        if (wide.column >= all.size() || wide.row >= all[wide.column]->size()) {
            throw UserError{"the recording is damaged: a wide value in column {}", wide.column};
        }
        (*all[wide.column])[wide.row] = wide.value;
    }
    const auto& kinds = main[static_cast<std::size_t>(Column::kind)];
    check_kinds(kinds, culprits, transfers);
    undo_culprits(header, culprit, last_of_lane);
    undo_offsets(kinds,
                 main[static_cast<std::size_t>(Column::site)],
                 transfer[static_cast<std::size_t>(TransferColumn::gm_offset)]);
}

}  // namespace ascendsim::record
