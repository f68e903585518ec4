// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <zstd.h>

#include "sim/record/lane_sums.hpp"
#include "sim/record/lane_totals.hpp"
#include "sim/record/output_file.hpp"
#include "sim/record/span_buffer.hpp"

namespace ascendsim::record {

/// Turns chunks into frames of the file and keeps the sums of their lanes. Chunks handed over with submit()
/// are written by a thread of its own where the host has two processors, always in the order they came in.
class ChunkWriter {
public:
    explicit ChunkWriter(OutputFile& file);
    ChunkWriter(const ChunkWriter&) = delete;
    ChunkWriter& operator=(const ChunkWriter&) = delete;
    ~ChunkWriter();

    void add_lane();
    /// Takes a full chunk and leaves the memory of a used one, or none.
    void submit(SpanBuffer& buffer);
    /// Writes what a lane has now. Nothing may be under way: see drain().
    void write(const SpanChunk& chunk);
    /// Compresses `raw` bytes of block() behind a header; the result stands until the next call. As write().
    [[nodiscard]] std::span<const std::byte> compressed(std::span<const std::byte> header, std::size_t raw);

    /// Memory for at least SpanEncoder::block_bound bytes.
    [[nodiscard]] std::byte* block() { return block_.get(); }

    /// Waits until everything submitted is in the file. May be called from a signal handler on the thread
    /// that submits, after which the process ends: it neither allocates nor locks.
    void drain();

    /// By lane. Nothing may be under way.
    [[nodiscard]] std::vector<LaneSums>& sums() { return sums_; }

    /// What is in a lane's chunks written so far, whether or not there is a file.
    [[nodiscard]] const LaneTotals& totals(std::uint32_t lane) const { return totals_[lane]; }

    [[nodiscard]] std::vector<LaneTotals>& totals() { return totals_; }

    /// Rethrows what went wrong on the other thread. Nothing may be under way.
    void check_written() const;

private:
    static constexpr std::uint32_t slots = 16;

    void start();
    void work();
    void grow(std::size_t bound);

    OutputFile& file_;
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
    SpanEncoder encoder_;
    std::vector<std::uint64_t> last_of_lane_;
    std::vector<LaneSums> sums_;
    std::vector<LaneTotals> totals_;
    // Uninitialised on purpose: a short run touches a page or two.
    std::unique_ptr<std::byte[]> block_;  // a chunk's columns
    std::unique_ptr<std::byte[]> frame_;  // a frame's payload
    std::size_t block_bytes_ = 0;
    std::size_t frame_bytes_ = 0;
    // A ring: the submitting thread fills slots up to submitted_, the other one empties them up to written_
    // and leaves their memory to be used again.
    std::array<SpanChunk, slots> ring_;
    std::atomic<std::uint32_t> submitted_{0};
    std::atomic<std::uint32_t> written_{0};
    std::atomic<bool> stop_{false};
    std::exception_ptr failure_;
    bool alone_;
    std::thread thread_;
};

}  // namespace ascendsim::record
