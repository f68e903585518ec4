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
#include "sim/record/span_buffer.hpp"

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
    std::span<const std::byte> decompressed(std::span<const std::byte> from, std::size_t raw_bytes);
    void append_main(Lane& lane, const SpansHeader& header);
    void append_kinds(Lane& lane, const SpansHeader& header);
    void append_transfers(Lane& lane, const SpansHeader& header);

    // Buffers noted while alive, by core, memory, offset and begin: their end replaces them.
    std::map<std::tuple<std::uint32_t, std::uint8_t, std::uint32_t, std::uint64_t>, std::size_t> alive_;
    SpanBlock block_;
    std::vector<std::uint64_t> last_of_lane_;
    std::vector<std::byte> raw_;
};

}  // namespace ascendsim::record
