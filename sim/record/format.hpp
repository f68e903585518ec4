// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ascendsim::record {

/// First bytes of every recording; the version follows as a 32-bit number. All numbers are little-endian.
inline constexpr std::array<char, 12> file_magic{'a', 's', 'c', 'e', 'n', 'd', 's', 'i', 'm', 'r', 'e', 'c'};
inline constexpr std::uint32_t format_version = 2;
inline constexpr std::size_t file_header_bytes = file_magic.size() + sizeof(std::uint32_t);

/// What a frame holds. Readers skip frames of types they do not know.
enum class FrameType : std::uint32_t { metadata = 1, lane, op, site, spans, buffers, event, totals };

/// Stands before every frame's payload.
struct FrameHeader {
    std::uint32_t type = 0;
    std::uint32_t length = 0;    // B of payload
    std::uint64_t checksum = 0;  // of the payload, see checksum()
};

static_assert(sizeof(FrameHeader) == 16);

inline constexpr std::uint32_t max_frame_bytes = 1U << 28U;  // longer means the file is damaged

/// Spans a chunk of one lane holds at most.
inline constexpr std::uint32_t chunk_rows = 1024;  // so that those of all lanes fit the host's caches
/// The most a reader takes; what chunks held once.
inline constexpr std::uint32_t max_chunk_rows = 4096;

/// Fixed part of a `spans` frame; the column block follows, plain or compressed.
struct SpansHeader {
    std::uint32_t lane = 0;
    std::uint32_t rows = 0;
    std::uint64_t first = 0;       // index of the first span in its lane
    std::uint64_t base = 0;        // end of the span before it, in cycles
    std::uint32_t raw_bytes = 0;   // of the column block when not compressed
    std::uint32_t compressed = 0;  // 1: a zstd frame follows
};

static_assert(sizeof(SpansHeader) == 32);

/// A 64-bit checksum of `bytes`; four lanes of multiply and rotate, the rest byte by byte.
[[nodiscard]] inline std::uint64_t checksum(std::span<const std::byte> bytes) {
    constexpr std::uint64_t prime = 0x9e3779b97f4a7c15U;
    const auto mix = [](std::uint64_t state, std::uint64_t value) {
        state = (state ^ value) * prime;
        return (state << 31U) | (state >> 33U);
    };
    std::array<std::uint64_t, 4> state{1, 2, 3, 4};
    std::size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32) {
        std::array<std::uint64_t, 4> words{};
        std::memcpy(words.data(), bytes.data() + at, 32);
        for (std::size_t i = 0; i < 4; ++i) {
            state[i] = mix(state[i], words[i]);
        }
    }
    std::uint64_t result = bytes.size();
    for (const std::uint64_t part : state) {
        result = mix(result, part);
    }
    for (; at < bytes.size(); ++at) {
        result = mix(result, std::to_integer<std::uint64_t>(bytes[at]));
    }
    return result;
}

}  // namespace ascendsim::record
