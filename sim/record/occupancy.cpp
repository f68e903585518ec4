// SPDX-License-Identifier: Apache-2.0
#include "sim/record/occupancy.hpp"

namespace ascendsim::record {

namespace {

void add_stretches(
    Occupancy& sum, const Recording& recording, std::uint32_t lane, std::uint64_t from, std::uint64_t to) {
    for_each_stretch(recording, lane, from, to, [&](const Stretch& stretch) {
        sum.add(stretch.reason, stretch.end - stretch.start);
    });
}

}  // namespace

// Chunks know what they add up to: only those that the window cuts are decoded.
Occupancy occupancy(const Recording& recording, std::uint32_t lane, std::uint64_t from, std::uint64_t to) {
    Occupancy result;
    to = std::min(to, recording.cycles());
    const std::vector<StoredChunk>& chunks = recording.lane(lane).spans->chunks();
    auto chunk = std::ranges::lower_bound(chunks, from, {}, &StoredChunk::base);
    if (chunk == chunks.begin() && chunk != chunks.end()) {
        ++chunk;  // what lies before the first span is not the chunk's
    }
    if (chunk == chunks.end() || chunk->end > to) {
        add_stretches(result, recording, lane, from, to);
        return result;
    }
    add_stretches(result, recording, lane, from, chunk->base);
    std::uint64_t behind = chunk->base;
    for (; chunk != chunks.end() && chunk->end <= to; ++chunk) {
        for (std::size_t reason = 0; reason < reason_count; ++reason) {
            result.cycles[reason] += chunk->cycles[reason];
        }
        behind = chunk->end;
    }
    add_stretches(result, recording, lane, behind, to);
    return result;
}

Occupancy occupancy(const Recording& recording, std::uint32_t lane) {
    return occupancy(recording, lane, 0, recording.cycles());
}

}  // namespace ascendsim::record
