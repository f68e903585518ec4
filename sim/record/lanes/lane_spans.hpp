// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/record/axis_shift.hpp"
#include "sim/record/lanes/chunk_columns.hpp"

namespace ascendsim::record {

class LaneSpans;

/// Keeps bytes for as long as it lives, in blocks that grow with what is kept.
class ByteStore {
public:
    /// A copy of `bytes` that stays where it is.
    std::span<const std::byte> keep(std::span<const std::byte> bytes);

private:
    std::vector<std::unique_ptr<std::byte[]>> blocks_;  // NOLINT(modernize-avoid-c-arrays): not initialised
    std::size_t block_bytes_ = 0;
    std::size_t used_ = 0;
};

/// A chunk of a lane as it is kept: compressed, and what it adds up to.
struct StoredChunk {
    std::size_t first = 0;           // index of its first span in the lane
    std::size_t transfer_first = 0;  // transfers of the lane before it
    std::uint32_t rows = 0;
    std::uint32_t transfers = 0;
    std::uint32_t lanes = 0;  // announced before it
    SpansHeader header;       // as in the file
    std::span<const std::byte> bytes;
    std::uint64_t base = 0;                            // end of the span before it; of the first chunk 0
    std::uint64_t start = 0;                           // of its first span
    std::uint64_t end = 0;                             // of its last span
    std::array<std::uint64_t, reason_count> cycles{};  // of [base, end) by reason, gaps as `issue`
};

namespace recent {

/// The chunk of a lane that a thread read last: columns look here first. `key` says whose it is.
struct Entry {
    std::uint64_t key = 0;
    std::size_t first = 0;
    std::size_t rows = 0;
    std::size_t transfer_first = 0;
    std::size_t transfers = 0;
    const ChunkColumns* chunk = nullptr;
};

inline constexpr std::size_t count = 256;

// Chunks are decoded behind queries that look like reading an array, by any number of threads at once: what
// each has decoded is its own, so that nobody waits and nothing is locked.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
extern thread_local constinit std::array<Entry, count> entries;

}  // namespace recent

/// The spans of one lane. They stay compressed, as in the file; a thread that reads them decodes a chunk at a
/// time and keeps those that it used last, up to `cached_bytes`. Reading is safe from several threads, unless
/// one appends.
class LaneSpans {
public:
    /// What a thread keeps of all recordings it reads. Holds the chunks around one moment of some 600 lanes.
    static constexpr std::size_t cached_bytes = std::size_t{40} << 20U;

    LaneSpans();
    LaneSpans(const LaneSpans&) = delete;
    LaneSpans& operator=(const LaneSpans&) = delete;
    LaneSpans(LaneSpans&&) = delete;
    LaneSpans& operator=(LaneSpans&&) = delete;
    ~LaneSpans();

    /// Adds the chunk of a frame: checks that it can be decoded and follows the last one, and keeps its bytes
    /// in `store`. Returns the last cycle at which a result of it may be used. Throws UserError.
    std::uint64_t append(const SpansHeader& header,
                         std::span<const std::byte> bytes,
                         std::size_t lanes,
                         ByteStore& store);

    /// Lets the spans lie on another axis from here on: they are put there whenever they are decoded. Not
    /// while others read.
    void put_on(std::shared_ptr<const AxisMap> axis);

    [[nodiscard]] std::size_t size() const { return rows_; }

    [[nodiscard]] std::size_t transfers() const { return transfers_; }

    [[nodiscard]] const std::vector<StoredChunk>& chunks() const { return chunks_; }

    /// The chunk that holds span i, which there must be. Stays until this thread reads another chunk.
    [[nodiscard]] const ChunkColumns& with(std::size_t i) const {
        const recent::Entry& entry = recent::entries[key_ % recent::count];
        return entry.key == key_ && i - entry.first < entry.rows ? *entry.chunk : *load(number_of(i));
    }

    /// The chunk that holds transfer t of the lane, which there must be.
    [[nodiscard]] const ChunkColumns& with_transfer(std::size_t t) const {
        const recent::Entry& entry = recent::entries[key_ % recent::count];
        return entry.key == key_ && t - entry.transfer_first < entry.transfers ? *entry.chunk
                                                                               : *load(number_of_transfer(t));
    }

    /// The same as with(), to be kept.
    [[nodiscard]] std::shared_ptr<const ChunkColumns> hold(std::size_t i) const { return load(number_of(i)); }

    [[nodiscard]] std::size_t first_ending_after(std::uint64_t cycle) const;
    [[nodiscard]] std::size_t first_starting_from(std::uint64_t cycle) const;
    [[nodiscard]] std::size_t first_transfer_from(std::size_t row) const;
    /// Whether more than `count` spans are at least partly in cycles [from, to). Where the sizes of chunks
    /// tell, none is decoded.
    [[nodiscard]] bool has_more_than(std::size_t count, std::uint64_t from, std::uint64_t to) const;

private:
    [[nodiscard]] std::size_t number_of(std::size_t i) const;
    [[nodiscard]] std::size_t number_of_transfer(std::size_t t) const;
    [[nodiscard]] std::shared_ptr<const ChunkColumns> load(std::size_t number) const;

    std::uint64_t key_;                    // of all lanes of all recordings of the process
    std::shared_ptr<const bool> alive_;    // what threads have decoded of it is dropped when it ends
    std::shared_ptr<const AxisMap> axis_;  // null: that of the file
    std::vector<StoredChunk> chunks_;
    std::size_t rows_ = 0;
    std::size_t transfers_ = 0;
};

}  // namespace ascendsim::record
