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

void SpanBuffer::add_to(LaneTotals& totals) const {
    const auto main = [&](Column column) -> const Values& {
        return columns_->main[static_cast<std::size_t>(column)];
    };
    const auto transfer = [&](TransferColumn column) -> const Values& {
        return columns_->transfer[static_cast<std::size_t>(column)];
    };
    if (rows_ == 0) {
        return;
    }
    if (first_ == 0) {
        totals.first = base_ + main(Column::gap).values[0];
    }
    totals.last = last_end_;
    for (std::uint32_t row = 0; row < rows_; ++row) {
        const std::uint32_t kind = main(Column::kind).values[row];
        const bool busy = (kind & kind_reason_mask) == 0;
        totals.busy_cycles += busy ? main(Column::duration).values[row] : 0;
        totals.conflict_cycles += main(Column::conflict).values[row];
        totals.moved_bytes += (kind & kind_transfer) != 0 ? main(Column::bytes).values[row] : 0;
    }
    for (std::uint32_t i = 0; i < transfers_; ++i) {
        totals.l2_hit_bytes += transfer(TransferColumn::l2_hit).values[i];
        totals.hbm_read_bytes += transfer(TransferColumn::hbm_read).values[i];
        totals.hbm_write_bytes += transfer(TransferColumn::hbm_write).values[i];
    }
    for (const WideValue& wide : wide_) {  // what the narrow columns lack of times beyond 32 bits
        const std::uint64_t rest = wide.value >> 32U << 32U;
        const bool busy = (main(Column::kind).values[wide.row] & kind_reason_mask) == 0;
        if (wide.column == static_cast<std::uint32_t>(Column::duration) && busy) {
            totals.busy_cycles += rest;
        } else if (wide.column == static_cast<std::uint32_t>(Column::gap) && wide.row == 0 && first_ == 0) {
            totals.first += rest;
        }
    }
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

void SpanBlock::undo_culprits(std::uint32_t own_lane, std::vector<std::uint64_t>& last_of_lane) {
    for (std::uint32_t& lane : culprit_lane) {
        lane = static_cast<std::uint32_t>(own_lane + unzigzag(lane));
        if (lane < last_of_lane.size()) {
            last_of_lane[lane] = 0;
        }
    }
    for (std::size_t i = 0; i < culprit_lane.size(); ++i) {
        const std::uint32_t lane = culprit_lane[i];
        const bool known = lane < last_of_lane.size();
        culprit_index[i] = unzigzag(culprit_index[i]) + (known ? last_of_lane[lane] : 0);
        if (known) {
            last_of_lane[lane] = culprit_index[i];
        }
    }
}

void SpanBlock::undo_offsets() {
    const std::vector<std::uint32_t>& kinds = (*this)[Column::kind];
    const std::vector<std::uint32_t>& sites = (*this)[Column::site];
    std::array<std::uint64_t, offset_slots> last{};
    std::size_t at = 0;
    for (std::size_t row = 0; row < kinds.size() && at < gm_offset.size(); ++row) {
        if ((kinds[row] & kind_transfer) != 0) {
            std::uint64_t& before = last[sites[row] % offset_slots];
            before += unzigzag(gm_offset[at]);
            gm_offset[at++] = before;
        }
    }
}

void SpanBlock::check_kinds() const {
    std::size_t with_culprit = 0;
    std::size_t with_transfer = 0;
    bool reasons = true;
    for (const std::uint32_t kind : (*this)[Column::kind]) {
        with_culprit += (kind & kind_culprit) != 0 ? 1U : 0U;
        with_transfer += (kind & kind_transfer) != 0 ? 1U : 0U;
        reasons = reasons && (kind & kind_reason_mask) < reason_count;
    }
    if (!reasons || with_culprit != culprit_lane.size() || with_transfer != gm_offset.size()) {
        throw UserError{"the recording is damaged: a chunk's columns contradict each other"};
    }
}

void SpanBlock::read_wide(ByteReader& from) {
    wide_times.clear();
    const auto count = from.get<std::uint32_t>();
    constexpr auto index_column = culprit_column_base + static_cast<std::uint32_t>(CulpritColumn::index);
    constexpr auto offset_column =
        transfer_column_base + static_cast<std::uint32_t>(TransferColumn::gm_offset);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto wide = from.get<WideValue>();
        if (wide.column < time_column_count && wide.row < main[wide.column].size()) {
            wide_times.push_back(wide);
        } else if (wide.column == index_column && wide.row < culprit_index.size()) {
            culprit_index[wide.row] = wide.value;
        } else if (wide.column == offset_column && wide.row < gm_offset.size()) {
            gm_offset[wide.row] = wide.value;
        } else {
            throw UserError{"the recording is damaged: a wide value in column {}", wide.column};
        }
    }
}

void SpanBlock::decode(const SpansHeader& header,
                       std::span<const std::byte> block,
                       std::vector<std::uint64_t>& last_of_lane) {
    ByteReader from{block};
    const auto culprits = from.get<std::uint32_t>();
    const auto transfers = from.get<std::uint32_t>();
    if (header.rows > chunk_rows || culprits > header.rows || transfers > header.rows) {
        throw UserError{"the recording is damaged: a chunk claims {} spans", header.rows};
    }
    const auto read = [&](std::vector<std::uint32_t>& column, std::uint32_t rows) {
        column.resize(rows);
        decode_column(from, column);
    };
    for (std::vector<std::uint32_t>& column : main) {
        read(column, header.rows);
    }
    std::vector<std::uint32_t> indices;
    read(culprit_lane, culprits);
    read(indices, culprits);
    culprit_index.assign(indices.begin(), indices.end());
    for (std::vector<std::uint32_t>& column : transfer) {
        read(column, transfers);
    }
    const auto& offsets = (*this)[TransferColumn::gm_offset];
    gm_offset.assign(offsets.begin(), offsets.end());
    read_wide(from);
    check_kinds();
    undo_culprits(header.lane, last_of_lane);
    undo_offsets();
}

}  // namespace ascendsim::record
