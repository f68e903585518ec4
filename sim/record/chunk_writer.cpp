// SPDX-License-Identifier: Apache-2.0
#include "sim/record/chunk_writer.hpp"

#include <csignal>
#include <cstring>
#include <ctime>

#include <pthread.h>

#include "sim/base/error.hpp"

namespace ascendsim::record {

namespace {

constexpr int compression_level = 1;
constexpr std::size_t smallest_block = 640 * 1024;  // B; holds whatever else is written, too
static_assert(SpanEncoder::block_bound <= smallest_block);

}  // namespace

ChunkWriter::ChunkWriter(OutputFile& file)
    : file_{file},
      context_{ZSTD_createCCtx(), &ZSTD_freeCCtx},
      alone_{std::thread::hardware_concurrency() < 2} {
    grow(smallest_block);
}

ChunkWriter::~ChunkWriter() {
    if (thread_.joinable()) {
        drain();
        stop_.store(true);
        submitted_.fetch_add(1);
        submitted_.notify_one();
        thread_.join();
    }
}

void ChunkWriter::grow(std::size_t bound) {
    if (block_bytes_ >= bound) {
        return;
    }
    block_bytes_ = bound;
    frame_bytes_ = sizeof(SpansHeader) + ZSTD_compressBound(bound);
    block_.reset(new std::byte[block_bytes_]);
    frame_.reset(new std::byte[frame_bytes_]);
    // The first compression allocates the context's tables, which grow no more beyond 256 KiB; a flush from a
    // signal handler must not.
    constexpr std::size_t enough = 300'000;
    static_assert(enough < smallest_block);
    std::memset(block_.get(), 0, enough);
    ZSTD_compressCCtx(context_.get(), frame_.get(), frame_bytes_, block_.get(), enough, compression_level);
}

void ChunkWriter::add_lane() {
    last_of_lane_.push_back(0);
    sums_.emplace_back();
    totals_.emplace_back();
}

std::span<const std::byte> ChunkWriter::compressed(std::span<const std::byte> header, std::size_t raw) {
    const std::size_t bytes = ZSTD_compressCCtx(context_.get(),
                                                frame_.get() + header.size(),
                                                frame_bytes_ - header.size(),
                                                block_.get(),
                                                raw,
                                                compression_level);
    check(ZSTD_isError(bytes) == 0, "zstd: {}", ZSTD_getErrorName(bytes));
    std::memcpy(frame_.get(), header.data(), header.size());
    return {frame_.get(), header.size() + bytes};
}

void ChunkWriter::write(const SpanChunk& chunk) {
    totals_[chunk.lane].add(chunk);
    if (file_.dropped()) {
        return;
    }
    sums_[chunk.lane].add(chunk);
    grow(SpanEncoder::bound(chunk));
    ByteWriter to{block_.get()};
    encoder_.encode(chunk, to, last_of_lane_);
    const SpansHeader header{.lane = chunk.lane,
                             .rows = chunk.count,
                             .first = chunk.first,
                             .base = chunk.base,
                             .raw_bytes = static_cast<std::uint32_t>(to.size()),
                             .compressed = 1};
    file_.frame(FrameType::spans, compressed(std::as_bytes(std::span{&header, 1}), to.size()));
}

void ChunkWriter::submit(SpanBuffer& buffer) {
    if (alone_ || file_.dropped()) {
        write(buffer.chunk());
        buffer.restart();
        return;
    }
    if (!thread_.joinable()) {
        start();
    }
    const std::uint32_t place = submitted_.load(std::memory_order_relaxed);
    for (std::uint32_t done = written_.load(std::memory_order_acquire); place - done == slots;
         done = written_.load(std::memory_order_acquire)) {
        written_.wait(done, std::memory_order_acquire);
    }
    buffer.exchange(ring_[place % slots]);
    submitted_.store(place + 1, std::memory_order_release);
    // Waking the writer costs more than a chunk's worth of spans: it is woken for several.
    if (place + 1 - written_.load(std::memory_order_relaxed) >= slots / 4) {
        submitted_.notify_one();
    }
}

void ChunkWriter::start() {
    // Signals are for the thread that runs the simulation.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread{&ChunkWriter::work, this};
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void ChunkWriter::work() {
    for (std::uint32_t place = 0;; ++place) {
        while (submitted_.load(std::memory_order_acquire) == place) {
            submitted_.wait(place, std::memory_order_acquire);
        }
        if (stop_.load()) {
            return;
        }
        try {
            if (failure_ == nullptr) {
                write(ring_[place % slots]);
            }
        } catch (...) {
            failure_ = std::current_exception();
        }
        written_.store(place + 1, std::memory_order_release);
        written_.notify_one();
    }
}

void ChunkWriter::drain() {
    const timespec moment{.tv_sec = 0, .tv_nsec = 20'000};
    while (written_.load(std::memory_order_acquire) != submitted_.load(std::memory_order_relaxed)) {
        submitted_.notify_one();  // the signal may have come before submit() did
        nanosleep(&moment, nullptr);
    }
}

void ChunkWriter::check_written() const {
    if (failure_ != nullptr) {
        std::rethrow_exception(failure_);
    }
    file_.check_written();
}

}  // namespace ascendsim::record
