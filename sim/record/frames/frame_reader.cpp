// SPDX-License-Identifier: Apache-2.0
#include "sim/record/frames/frame_reader.hpp"

#include <algorithm>

#include "sim/record/buffer_entry.hpp"
#include "sim/record/frames/json_shape.hpp"

namespace ascendsim::record {

namespace {

void expect_next(std::uint32_t number, std::size_t next, std::string_view what) {
    if (number != next) {
        throw UserError{"the recording is damaged: {} number {} follows {}", what, number, next};
    }
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
    TrackPath path;
    try {
        path = TrackPath::parse(from.get_text());
    } catch (const UserError& error) {
        throw UserError{"the recording is damaged: {}", error.what()};
    }
    Lane& lane = recording.lanes_.emplace_back(std::move(path));
    lane.core_index = recording.cores_.of(lane.path);
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

void FrameReader::spans(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    const auto header = from.get<SpansHeader>();
    if (header.lane >= recording.lanes_.size()) {
        throw UserError{"the recording is damaged: spans of lane {}, which it does not have", header.lane};
    }
    Lane& lane = recording.lanes_[header.lane];
    const std::uint64_t last = lane.spans->append(header, from.rest(), recording.lanes_.size(), spans_);
    if (header.rows == 0) {
        return;
    }
    if (lane.core_index) {
        auto& starts = recording.core_starts_;
        starts.resize(std::max(starts.size(), *lane.core_index + std::size_t{1}), ~std::uint64_t{0});
        starts[*lane.core_index] = std::min(starts[*lane.core_index], lane.spans->chunks().front().start);
    }
    recording.last_cycle_ = std::max(recording.last_cycle_, last);
}

void FrameReader::buffers(Recording& recording, std::span<const std::byte> payload) {
    ByteReader from{payload};
    const auto raw_bytes = from.get<std::uint32_t>();
    ByteReader entries{decoder_.decompress(from.rest(), raw_bytes)};
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
