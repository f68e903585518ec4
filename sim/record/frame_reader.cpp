// SPDX-License-Identifier: Apache-2.0
#include "sim/record/frame_reader.hpp"

#include <algorithm>

#include <zstd.h>

#include "sim/record/buffer_entry.hpp"
#include "sim/record/json_shape.hpp"

namespace ascendsim::record {

namespace {

void expect_next(std::uint32_t number, std::size_t next, std::string_view what) {
    if (number != next) {
        throw UserError{"the recording is damaged: {} number {} follows {}", what, number, next};
    }
}

std::uint32_t low(std::uint64_t value) {
    return static_cast<std::uint32_t>(value);
}

}  // namespace

void FrameReader::apply(Recording& recording, FrameType type, std::span<const std::byte> payload) {
    switch (type) {
        case FrameType::metadata:
            recording.metadata_.update(checked_json(type, payload));
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
            event(recording, payload);
            return;
        case FrameType::totals:
            recording.totals_ = checked_json(type, payload);
            return;
    }
}

void FrameReader::event(Recording& recording, std::span<const std::byte> payload) {
    nlohmann::json values = checked_json(FrameType::event, payload);
    if (values.contains("lane") && values["lane"].get<std::uint64_t>() >= recording.lanes_.size()) {
        throw UserError{"the recording is damaged: an event of lane {}, which it does not have",
                        values["lane"].get<std::uint64_t>()};
    }
    recording.events_.push_back(std::move(values));
}

void FrameReader::lane(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    expect_next(from.get<std::uint32_t>(), recording.lanes_.size(), "lane");
    Lane lane;
    try {
        lane.path = TrackPath::parse(from.get_text());
    } catch (const UserError& error) {
        throw UserError{"the recording is damaged: {}", error.what()};
    }
    lane.core_index = recording.cores_.of(lane.path);
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
    SourceLine place{from.get_text(), line};
    if (from.rest().size() >= sizeof(place.caller)) {
        place.caller = from.get<std::uint32_t>();
    }
    if (place.caller >= recording.sites_.size() && place.caller != 0) {
        throw UserError{"the recording is damaged: a source line is called from one that is not there"};
    }
    recording.sites_.push_back(std::move(place));
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

namespace {

// Puts back starts, ends and the rest from differences; Value is wide where a difference needs more than 32
// bits.
template <class Value>
void append_times(Lane& lane,
                  const SpansHeader& header,
                  const std::array<const std::vector<Value>*, time_column_count>& from) {
    const auto& [gap, duration, latency, lead] = from;
    const std::size_t first = lane.start.size();
    for (auto* column : {&lane.issue, &lane.start, &lane.end, &lane.complete}) {
        column->resize(first + header.rows);
    }
    std::uint64_t before = header.base;
    for (std::size_t row = 0; row < header.rows; ++row) {
        const std::uint64_t start = before + (*gap)[row];
        before = start + (*duration)[row];
        lane.start[first + row] = start;
        lane.end[first + row] = before;
        lane.complete[first + row] = before + (*latency)[row];
        lane.issue[first + row] = start - (*lead)[row];
    }
}

void append(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& from) {
    to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void FrameReader::append_main(Lane& lane, const SpansHeader& header) {
    const auto& main = block_.main;
    if (block_.wide_times.empty()) {
        append_times<std::uint32_t>(lane, header, {&main[0], &main[1], &main[2], &main[3]});
    } else {
        std::array<std::vector<std::uint64_t>, time_column_count> times;
        for (std::size_t i = 0; i < times.size(); ++i) {
            times[i].assign(main[i].begin(), main[i].end());
        }
        for (const WideValue& wide : block_.wide_times) {
            times[wide.column][wide.row] = wide.value;
        }
        append_times<std::uint64_t>(lane, header, {&times[0], &times[1], &times[2], &times[3]});
    }
    append(lane.op, block_[Column::op]);
    append(lane.site, block_[Column::site]);
    append(lane.offset, block_[Column::offset]);
    append(lane.bytes, block_[Column::bytes]);
    append(lane.work, block_[Column::work]);
    append(lane.conflict, block_[Column::conflict]);
    append_kinds(lane, header);
}

void FrameReader::append_kinds(Lane& lane, const SpansHeader& header) {
    const std::size_t first = lane.reason.size();
    lane.reason.resize(first + header.rows);
    lane.memory.resize(first + header.rows);
    lane.culprit_lane.resize(first + header.rows, SpanId::no_lane);
    lane.culprit_index.resize(first + header.rows);
    const std::vector<std::uint32_t>& kinds = block_[Column::kind];
    std::size_t culprit = 0;
    for (std::size_t row = 0; row < header.rows; ++row) {
        const std::uint32_t kind = kinds[row];
        lane.reason[first + row] = static_cast<Reason>(kind & kind_reason_mask);
        lane.memory[first + row] = static_cast<std::uint8_t>(kind >> kind_memory_shift);
        if ((kind & kind_culprit) != 0) {
            lane.culprit_lane[first + row] = block_.culprit_lane[culprit];
            lane.culprit_index[first + row] = low(block_.culprit_index[culprit++]);
        }
    }
}

void FrameReader::append_transfers(Lane& lane, const SpansHeader& header) {
    const std::vector<std::uint32_t>& kinds = block_[Column::kind];
    TransferColumns& to = lane.transfers;
    for (std::uint32_t row = 0; row < header.rows; ++row) {
        if ((kinds[row] & kind_transfer) != 0) {
            to.row.push_back(low(header.first) + row);
        }
    }
    for (const std::uint32_t route : block_[TransferColumn::route]) {
        to.route.push_back(static_cast<std::uint8_t>(route));
    }
    for (const std::uint32_t limiter : block_[TransferColumn::limiter]) {
        to.limiter.push_back(limiter < limiter_names.size() ? static_cast<Limiter>(limiter) : Limiter::none);
    }
    to.gm_offset.insert(to.gm_offset.end(), block_.gm_offset.begin(), block_.gm_offset.end());
    append(to.requests, block_[TransferColumn::requests]);
    append(to.l2_hit_bytes, block_[TransferColumn::l2_hit]);
    append(to.hbm_read_bytes, block_[TransferColumn::hbm_read]);
    append(to.hbm_write_bytes, block_[TransferColumn::hbm_write]);
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
    if (header.rows == 0) {
        return;
    }
    if (lane.core_index) {
        auto& starts = recording.core_starts_;
        starts.resize(std::max(starts.size(), *lane.core_index + std::size_t{1}), ~std::uint64_t{0});
        starts[*lane.core_index] = std::min(starts[*lane.core_index], lane.start.front());
    }
    recording.last_cycle_ = std::max(recording.last_cycle_, lane.end.back());
    const auto first = lane.complete.begin() + static_cast<std::ptrdiff_t>(header.first);
    recording.last_cycle_ = std::max(recording.last_cycle_, *std::max_element(first, lane.complete.end()));
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
