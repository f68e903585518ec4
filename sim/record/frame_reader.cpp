// SPDX-License-Identifier: Apache-2.0
#include "sim/record/frame_reader.hpp"

#include <algorithm>

#include <zstd.h>

#include "sim/record/buffer_entry.hpp"

namespace ascendsim::record {

namespace {

nlohmann::json parse(std::span<const std::byte> payload) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): text is bytes
    const char* const text = reinterpret_cast<const char*>(payload.data());
    nlohmann::json values = nlohmann::json::parse(text, text + payload.size(), nullptr, false);
    if (values.is_discarded()) {
        throw UserError{"the recording is damaged: a frame holds broken JSON"};
    }
    return values;
}

void expect_next(std::uint32_t number, std::size_t next, std::string_view what) {
    if (number != next) {
        throw UserError{"the recording is damaged: {} number {} follows {}", what, number, next};
    }
}

constexpr std::uint32_t max_cores = 1U << 20U;

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

void FrameReader::apply(Recording& recording, FrameType type, std::span<const std::byte> payload) {
    switch (type) {
        case FrameType::metadata:
            recording.metadata_.update(parse(payload));
            return;
        case FrameType::lane:
            lane(recording, payload);
            return;
        case FrameType::op:
            name(recording, payload);
            return;
        case FrameType::site:
            site(recording, payload);
            return;
        case FrameType::spans:
            spans(recording, payload);
            return;
        case FrameType::buffers:
            buffers(recording, payload);
            return;
        case FrameType::event:
            recording.events_.push_back(parse(payload));
            return;
        case FrameType::totals:
            recording.totals_ = parse(payload);
            return;
    }
}

void FrameReader::lane(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    expect_next(from.get<std::uint32_t>(), recording.lanes_.size(), "lane");
    Lane lane;
    lane.info.core_index = from.get<std::uint32_t>();
    if (lane.info.core_index > max_cores) {
        throw UserError{"the recording is damaged: core number {}", lane.info.core_index};
    }
    lane.info.group = from.get<std::uint32_t>();
    lane.info.core = from.get_text();
    lane.info.pipe = from.get_text();
    recording.lanes_.push_back(std::move(lane));
    last_of_lane_.resize(recording.lanes_.size());
}

void FrameReader::name(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    expect_next(from.get<std::uint32_t>(), recording.names_.size(), "name");
    recording.names_.push_back(from.get_text());
}

void FrameReader::site(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    expect_next(from.get<std::uint32_t>(), recording.sites_.size(), "source line");
    const auto line = from.get<std::uint32_t>();
    recording.sites_.push_back({from.get_text(), line});
}

std::span<const std::byte> FrameReader::decompressed(std::span<const std::byte> from, std::size_t raw_bytes) {
    if (raw_bytes > max_frame_bytes) {
        throw UserError{"the recording is damaged: a chunk of {} bytes", raw_bytes};
    }
    raw_.resize(raw_bytes);
    const std::size_t bytes = ZSTD_decompress(raw_.data(), raw_.size(), from.data(), from.size());
    if (ZSTD_isError(bytes) != 0 || bytes != raw_bytes) {
        throw UserError{"the recording is damaged: a chunk cannot be decompressed"};
    }
    return raw_;
}

void FrameReader::append_main(Lane& lane, const SpansHeader& header) {
    const auto column = [&](Column which, std::size_t row) {
        return block_.main[static_cast<std::size_t>(which)][row];
    };
    std::uint64_t before = header.base;
    std::size_t culprit = 0;
    for (std::size_t row = 0; row < header.rows; ++row) {
        const std::uint64_t start = before + column(Column::gap, row);
        const std::uint64_t end = start + column(Column::duration, row);
        const std::uint64_t kind = column(Column::kind, row);
        lane.start.push_back(start);
        lane.end.push_back(end);
        lane.complete.push_back(end + column(Column::latency, row));
        lane.issue.push_back(start - column(Column::lead, row));
        lane.op.push_back(low(column(Column::op, row)));
        lane.site.push_back(low(column(Column::site, row)));
        lane.offset.push_back(low(column(Column::offset, row)));
        lane.bytes.push_back(low(column(Column::bytes, row)));
        lane.work.push_back(low(column(Column::work, row)));
        lane.conflict.push_back(low(column(Column::conflict, row)));
        lane.reason.push_back(static_cast<Reason>(kind & kind_reason_mask));
        lane.memory.push_back(static_cast<std::uint8_t>(kind >> kind_memory_shift));
        const bool blamed = (kind & kind_culprit) != 0;
        lane.culprit_lane.push_back(blamed ? low(block_.culprit[0][culprit]) : SpanId::no_lane);
        lane.culprit_index.push_back(blamed ? low(block_.culprit[1][culprit]) : 0);
        culprit += blamed ? 1U : 0U;
        before = end;
    }
}

void FrameReader::append_transfers(Lane& lane, const SpansHeader& header) {
    const auto& kinds = block_.main[static_cast<std::size_t>(Column::kind)];
    std::size_t at = 0;
    const auto next = [&](TransferColumn which) {
        return block_.transfer[static_cast<std::size_t>(which)][at];
    };
    TransferColumns& to = lane.transfers;
    for (std::uint32_t row = 0; row < header.rows; ++row) {
        if ((kinds[row] & kind_transfer) == 0) {
            continue;
        }
        to.row.push_back(low(header.first) + row);
        to.route.push_back(static_cast<std::uint8_t>(next(TransferColumn::route)));
        const std::uint64_t limiter = next(TransferColumn::limiter);
        to.limiter.push_back(limiter < limiter_names.size() ? static_cast<Limiter>(limiter) : Limiter::none);
        to.requests.push_back(low(next(TransferColumn::requests)));
        to.gm_offset.push_back(next(TransferColumn::gm_offset));
        to.l2_hit_bytes.push_back(low(next(TransferColumn::l2_hit)));
        to.hbm_read_bytes.push_back(low(next(TransferColumn::hbm_read)));
        to.hbm_write_bytes.push_back(low(next(TransferColumn::hbm_write)));
        ++at;
    }
}

void FrameReader::spans(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    const auto header = from.get<SpansHeader>();
    if (header.lane >= recording.lanes_.size()) {
        throw UserError{"the recording is damaged: spans of lane {}, which it does not have", header.lane};
    }
    Lane& lane = recording.lanes_[header.lane];
    if (header.first != lane.size()) {
        throw UserError{"the recording is damaged: span {} of lane {} follows {}",
                        header.first,
                        header.lane,
                        lane.size()};
    }
    const auto block = header.compressed != 0 ? decompressed(from.rest(), header.raw_bytes) : from.rest();
    block_.decode(header, block, last_of_lane_);
    append_main(lane, header);
    append_transfers(lane, header);
    if (lane.empty()) {
        return;
    }
    auto& starts = recording.core_starts_;
    if (lane.info.core_index >= starts.size()) {
        starts.resize(lane.info.core_index + std::size_t{1}, ~std::uint64_t{0});
    }
    starts[lane.info.core_index] = std::min(starts[lane.info.core_index], lane.start.front());
    for (std::size_t i = header.first; i < lane.size(); ++i) {
        recording.last_cycle_ = std::max(recording.last_cycle_, std::max(lane.end[i], lane.complete[i]));
    }
}

void FrameReader::buffers(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    const auto raw_bytes = from.get<std::uint32_t>();
    ByteReader entries{decompressed(from.rest(), raw_bytes)};
    for (std::size_t i = 0; i < raw_bytes / sizeof(BufferEntry); ++i) {
        const auto entry = entries.get<BufferEntry>();
        const Buffer buffer{.core_index = entry.core_index,
                            .memory = static_cast<std::uint8_t>(entry.memory),
                            .offset = entry.offset,
                            .bytes = entry.bytes,
                            .from = entry.from,
                            .to = entry.to,
                            .site = entry.site,
                            .label = entry.label};
        const auto key = [](const Buffer& b) { return std::tuple{b.core_index, b.memory, b.offset, b.from}; };
        auto [alive, added] = alive_.try_emplace(key(buffer), recording.buffers_.size());
        if (added) {
            recording.buffers_.push_back(buffer);
        } else {
            recording.buffers_[alive->second] = buffer;
        }
        if (buffer.to != 0) {
            alive_.erase(alive);
        }
    }
}

}  // namespace ascendsim::record
