// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "sim/record/format.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::record {

/// Applies frames to a recording. Keeps scratch memory from frame to frame.
class FrameReader {
public:
    /// Applies one frame; throws UserError if its contents make no sense.
    void apply(Recording& recording, FrameType type, std::span<const std::byte> payload);

private:
    void event(Recording& recording, std::span<const std::byte> payload);
    void lane(Recording& recording, std::span<const std::byte> payload);
    void name(Recording& recording, std::span<const std::byte> payload);
    void site(Recording& recording, std::span<const std::byte> payload);
    void spans(Recording& recording, std::span<const std::byte> payload);
    void buffers(Recording& recording, std::span<const std::byte> payload);

    // Buffers noted while alive, by core, memory, offset and begin: their end replaces them.
    std::map<std::tuple<std::uint32_t, std::uint8_t, std::uint32_t, std::uint64_t>, std::size_t> alive_;
    ByteStore spans_;       // compressed chunks
    ChunkDecoder decoder_;  // of buffers
};

}  // namespace ascendsim::record
