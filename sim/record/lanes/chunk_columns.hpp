// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/record/format.hpp"
#include "sim/record/span.hpp"
#include "sim/record/span_buffer.hpp"

struct ZSTD_DCtx_s;

namespace ascendsim::record {

/// The spans of one chunk of a lane, column by column. Fields as in Span; element i of a column belongs to
/// span `first + i` of the lane, element t of a transfers' column to span `transfer_row[t]`.
struct ChunkColumns {
    std::size_t first = 0;           // index of the first span in its lane
    std::size_t transfer_first = 0;  // number of transfers of the lane before it
    std::vector<std::uint64_t> issue;
    std::vector<std::uint64_t> start;
    std::vector<std::uint64_t> end;
    std::vector<std::uint64_t> complete;
    std::vector<std::uint32_t> op;
    std::vector<std::uint32_t> site;
    std::vector<std::uint32_t> offset;
    std::vector<std::uint32_t> bytes;
    std::vector<std::uint32_t> work;
    std::vector<std::uint32_t> conflict;
    std::vector<std::uint32_t> culprit_lane;
    std::vector<std::uint32_t> culprit_index;
    std::vector<Reason> reason;
    std::vector<std::uint8_t> memory;
    std::vector<std::uint8_t> inside;         // 1: a wait within an instruction that had begun
    std::vector<std::uint32_t> transfer_row;  // index of the span in its lane
    std::vector<std::uint64_t> gm_offset;
    std::vector<std::uint32_t> requests;
    std::vector<std::uint32_t> l2_hit_bytes;
    std::vector<std::uint32_t> hbm_read_bytes;
    std::vector<std::uint32_t> hbm_write_bytes;
    std::vector<std::uint8_t> route;
    std::vector<Limiter> limiter;

    [[nodiscard]] std::size_t size() const { return start.size(); }

    [[nodiscard]] std::size_t transfers() const { return transfer_row.size(); }

    /// What it takes in memory, about.
    [[nodiscard]] std::size_t memory_bytes() const;
};

/// Makes columns of what a `spans` frame holds. Keeps scratch memory from chunk to chunk.
class ChunkDecoder {
public:
    ChunkDecoder();

    /// Fills `to`, all but `transfer_first`, from the bytes behind a frame's header; `lanes` is the number
    /// of lanes that were announced before the frame. Throws UserError if its contents make no sense.
    void decode(const SpansHeader& header,
                std::span<const std::byte> bytes,
                std::size_t lanes,
                ChunkColumns& to);

    /// Decompresses one zstd frame of `raw_bytes` bytes, which stay until the next call.
    std::span<const std::byte> decompress(std::span<const std::byte> from, std::size_t raw_bytes);

private:
    void fill_main(const SpansHeader& header, ChunkColumns& to);
    void fill_kinds(const SpansHeader& header, ChunkColumns& to) const;
    void fill_transfers(const SpansHeader& header, ChunkColumns& to) const;

    std::unique_ptr<ZSTD_DCtx_s, std::size_t (*)(ZSTD_DCtx_s*)> context_;
    SpanBlock block_;
    std::vector<std::uint64_t> last_of_lane_;
    std::vector<std::byte> raw_;
};

}  // namespace ascendsim::record
