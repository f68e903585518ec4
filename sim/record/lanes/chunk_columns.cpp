// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lanes/chunk_columns.hpp"

#include <algorithm>
#include <array>

#include <zstd.h>

#include "sim/base/error.hpp"
#include "sim/record/span_chunk.hpp"

namespace ascendsim::record {

namespace {

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

// Puts back starts, ends and the rest from differences; Value is wide where a difference needs more than 32
// bits.
template <class Value>
void fill_times(const SpansHeader& header,
                const std::array<const std::vector<Value>*, time_column_count>& from,
                ChunkColumns& to) {
    const auto& [gap, duration, latency, lead] = from;
    for (auto* column : {&to.issue, &to.start, &to.end, &to.complete}) {
        column->resize(header.rows);
    }
    std::uint64_t before = header.base;
    for (std::size_t row = 0; row < header.rows; ++row) {
        const std::uint64_t start = before + (*gap)[row];
        before = start + (*duration)[row];
        to.start[row] = start;
        to.end[row] = before;
    }
    for (std::size_t row = 0; row < header.rows; ++row) {
        to.complete[row] = to.end[row] + (*latency)[row];
        to.issue[row] = to.start[row] - (*lead)[row];
    }
}

}  // namespace

std::size_t ChunkColumns::memory_bytes() const {
    constexpr std::size_t row = 4 * sizeof(std::uint64_t) + 8 * sizeof(std::uint32_t) + 3;
    constexpr std::size_t transfer = sizeof(std::uint64_t) + 5 * sizeof(std::uint32_t) + 2;
    constexpr std::size_t blocks = 25 * 16;  // what the allocator adds
    return sizeof(*this) + blocks + start.capacity() * row + gm_offset.capacity() * transfer;
}

ChunkDecoder::ChunkDecoder() : context_{ZSTD_createDCtx(), &ZSTD_freeDCtx} {
    if (!context_) {
        throw UserError{"a recording cannot be read: no memory is left"};
    }
}

std::span<const std::byte> ChunkDecoder::decompress(std::span<const std::byte> from, std::size_t raw_bytes) {
    if (raw_bytes > max_frame_bytes) {
        throw UserError{"the recording is damaged: a chunk of {} bytes", raw_bytes};
    }
    raw_.resize(raw_bytes);
    const std::size_t bytes =
        ZSTD_decompressDCtx(context_.get(), raw_.data(), raw_.size(), from.data(), from.size());
    if (ZSTD_isError(bytes) != 0 || bytes != raw_bytes) {
        throw UserError{"the recording is damaged: a chunk cannot be decompressed"};
    }
    return raw_;
}

void ChunkDecoder::decode(const SpansHeader& header,
                          std::span<const std::byte> bytes,
                          std::size_t lanes,
                          ChunkColumns& to) {
    last_of_lane_.resize(lanes);
    block_.decode(
        header, header.compressed != 0 ? decompress(bytes, header.raw_bytes) : bytes, last_of_lane_);
    to.first = header.first;
    fill_main(header, to);
    fill_kinds(header, to);
    fill_transfers(header, to);
}

void ChunkDecoder::fill_main(const SpansHeader& header, ChunkColumns& to) {
    auto& main = block_.main;
    if (block_.wide_times.empty()) {
        fill_times<std::uint32_t>(header, {&main[0], &main[1], &main[2], &main[3]}, to);
    } else {
        std::array<std::vector<std::uint64_t>, time_column_count> times;
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i].assign(main[i].begin(), main[i].end());
        }
        for (const WideValue& wide : block_.wide_times) {
            times[wide.column][wide.row] = wide.value;
        }
        fill_times<std::uint64_t>(header, {&times[0], &times[1], &times[2], &times[3]}, to);
    }
    // The block is filled anew for every chunk, so what it held may go.
    const auto take = [&](Column column) -> std::vector<std::uint32_t>& {
        return main[static_cast<std::size_t>(column)];
    };
    std::swap(to.op, take(Column::op));
    std::swap(to.site, take(Column::site));
    std::swap(to.offset, take(Column::offset));
    std::swap(to.bytes, take(Column::bytes));
    std::swap(to.work, take(Column::work));
    std::swap(to.conflict, take(Column::conflict));
}

void ChunkDecoder::fill_kinds(const SpansHeader& header, ChunkColumns& to) const {
    const std::vector<std::uint32_t>& kinds = block_[Column::kind];
    to.reason.resize(header.rows);
    to.memory.resize(header.rows);
    to.inside.resize(header.rows);
    for (std::size_t row = 0; row < header.rows; ++row) {
        to.reason[row] = static_cast<Reason>(kinds[row] & kind_reason_mask);
        to.memory[row] = static_cast<std::uint8_t>(kinds[row] >> kind_memory_shift);
        to.inside[row] = (kinds[row] & kind_inside) != 0 ? 1 : 0;
    }
    to.culprit_lane.assign(header.rows, SpanId::no_lane);
    to.culprit_index.assign(header.rows, 0);
    if (block_.culprit_lane.empty()) {
        return;
    }
    std::size_t culprit = 0;
    for (std::size_t row = 0; row < header.rows; ++row) {
        if ((kinds[row] & kind_culprit) != 0) {
            to.culprit_lane[row] = block_.culprit_lane[culprit];
            to.culprit_index[row] = low(block_.culprit_index[culprit++]);
        }
    }
}

void ChunkDecoder::fill_transfers(const SpansHeader& header, ChunkColumns& to) const {
    const std::size_t count = block_.gm_offset.size();
    to.transfer_row.clear();
    to.transfer_row.reserve(count);
    const std::vector<std::uint32_t>& kinds = block_[Column::kind];
    for (std::uint32_t row = 0; count > 0 && row < header.rows; ++row) {
        if ((kinds[row] & kind_transfer) != 0) {
            to.transfer_row.push_back(low(header.first) + row);
        }
    }
    to.gm_offset = block_.gm_offset;
    to.requests = block_[TransferColumn::requests];
    to.l2_hit_bytes = block_[TransferColumn::l2_hit];
    to.hbm_read_bytes = block_[TransferColumn::hbm_read];
    to.hbm_write_bytes = block_[TransferColumn::hbm_write];
    to.route.resize(count);
    to.limiter.resize(count);
    for (std::size_t t = 0; t < count; ++t) {
        const std::uint32_t limiter = block_[TransferColumn::limiter][t];
        to.route[t] = static_cast<std::uint8_t>(block_[TransferColumn::route][t]);
        to.limiter[t] = limiter < limiter_names.size() ? static_cast<Limiter>(limiter) : Limiter::none;
    }
}

}  // namespace ascendsim::record
