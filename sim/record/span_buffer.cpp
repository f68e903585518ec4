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

void SpanBuffer::restart() {
    chunk_.base = chunk_.end();
    chunk_.first += chunk_.count;
    chunk_.count = 0;
    chunk_.transfer_count = 0;
    chunk_.wide.clear();
}

void SpanBuffer::exchange(SpanChunk& memory) {
    const std::uint32_t lane = chunk_.lane;
    const std::uint64_t first = count();
    const std::uint64_t base = chunk_.end();
    std::swap(chunk_, memory);
    restart();
    chunk_.lane = lane;
    chunk_.first = first;
    chunk_.base = base;
    if (chunk_.capacity == 0) {
        chunk_.grow();
    }
}

void SpanEncoder::narrow(std::uint32_t column, Values& to, std::uint32_t row, std::uint64_t value) {
    to.values[row] = static_cast<std::uint32_t>(value);
    if (value > low_bits) [[unlikely]] {
        wide_.push_back({column, row, value});
    }
}

void SpanEncoder::fill_main(const SpanChunk& chunk) {
    const auto column = [&](Column which) {
        return columns_->main[static_cast<std::size_t>(which)].values.data();
    };
    std::uint32_t* const gap = column(Column::gap);
    std::uint32_t* const duration = column(Column::duration);
    std::uint32_t* const latency = column(Column::latency);
    std::uint32_t* const lead = column(Column::lead);
    std::uint32_t* const op = column(Column::op);
    std::uint32_t* const site = column(Column::site);
    std::uint32_t* const kind = column(Column::kind);
    std::uint32_t* const offset = column(Column::offset);
    std::uint32_t* const bytes = column(Column::bytes);
    std::uint32_t* const work = column(Column::work);
    std::uint32_t* const conflict = column(Column::conflict);
    std::uint64_t before = chunk.base;
    std::uint64_t any_gap = 0;
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        const SpanRow& row = chunk.rows[i];
        any_gap |= row.start - before;
        gap[i] = static_cast<std::uint32_t>(row.start - before);
        before = row.start + row.duration;
        duration[i] = row.duration;
        latency[i] = row.latency;
        lead[i] = row.lead;
        op[i] = row.op;
        site[i] = row.site;
        kind[i] = row.kind;
        offset[i] = row.offset;
        bytes[i] = row.bytes;
        work[i] = row.work;
        conflict[i] = row.conflict;
    }
    if (any_gap > low_bits || !chunk.wide.empty()) [[unlikely]] {
        widen_times(chunk);
    }
}

void SpanEncoder::widen_times(const SpanChunk& chunk) {
    std::uint64_t before = chunk.base;
    auto wide = chunk.wide.begin();
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        const SpanRow& row = chunk.rows[i];
        const bool is_wide = wide != chunk.wide.end() && wide->row == i;
        const WideTimes times = is_wide ? *wide++ : WideTimes{i, row.duration, row.latency, row.lead};
        const std::array<std::uint64_t, time_column_count> values{
            row.start - before, times.duration, times.latency, times.lead};
        for (std::uint32_t column = 0; column < time_column_count; ++column) {
            narrow(column, columns_->main[column], i, values[column]);
        }
        before = row.start + times.duration;
    }
}

void SpanEncoder::fill_culprits(const SpanChunk& chunk, std::span<std::uint64_t> last_of_lane) {
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        if ((chunk.rows[i].kind & kind_culprit) != 0 && chunk.rows[i].culprit_lane < last_of_lane.size()) {
            last_of_lane[chunk.rows[i].culprit_lane] = 0;
        }
    }
    Values& lanes = columns_->culprit[0];
    Values& indices = columns_->culprit[1];
    culprits_ = 0;
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        const SpanRow& row = chunk.rows[i];
        if ((row.kind & kind_culprit) == 0) {
            continue;
        }
        const bool known = row.culprit_lane < last_of_lane.size();
        const std::uint64_t before = known ? last_of_lane[row.culprit_lane] : 0;
        narrow(culprit_column_base + 1, indices, culprits_, zigzag(row.culprit_index - before));
        if (known) {
            last_of_lane[row.culprit_lane] = row.culprit_index;
        }
        lanes.values[culprits_++] = lane_difference(row.culprit_lane, chunk.lane);
    }
}

void SpanEncoder::fill_transfers(const SpanChunk& chunk) {
    const auto values = [&](TransferColumn which) -> Values& {
        return columns_->transfer[static_cast<std::size_t>(which)];
    };
    constexpr auto offset_column =
        transfer_column_base + static_cast<std::uint32_t>(TransferColumn::gm_offset);
    std::array<std::uint64_t, offset_slots> last_offset{};
    transfers_ = 0;
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
        if ((chunk.rows[i].kind & kind_transfer) == 0) {
            continue;
        }
        const TransferRow& from = chunk.transfers[transfers_];
        values(TransferColumn::route).values[transfers_] = from.route;
        values(TransferColumn::limiter).values[transfers_] = from.limiter;
        values(TransferColumn::requests).values[transfers_] = from.requests;
        values(TransferColumn::l2_hit).values[transfers_] = from.l2_hit_bytes;
        values(TransferColumn::hbm_read).values[transfers_] = from.hbm_read_bytes;
        values(TransferColumn::hbm_write).values[transfers_] = from.hbm_write_bytes;
        std::uint64_t& last = last_offset[chunk.rows[i].site % offset_slots];
        narrow(offset_column, values(TransferColumn::gm_offset), transfers_++, zigzag(from.gm_offset - last));
        last = from.gm_offset;
    }
}

void SpanEncoder::encode(const SpanChunk& chunk, ByteWriter& to, std::span<std::uint64_t> last_of_lane) {
    wide_.clear();
    fill_main(chunk);
    fill_culprits(chunk, last_of_lane);
    fill_transfers(chunk);
    to.put(culprits_);
    to.put(transfers_);
    for (const Values& column : columns_->main) {
        encode_column(std::span{column.values}.first(chunk.count), to);
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
    if (header.rows > max_chunk_rows || culprits > header.rows || transfers > header.rows) {
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
