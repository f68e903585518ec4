// SPDX-License-Identifier: Apache-2.0
#include "sim/record/lanes/lane_spans.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <unordered_map>

#include "sim/base/error.hpp"

namespace ascendsim::record {

namespace recent {

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): see the header
thread_local constinit std::array<Entry, count> entries{};

}  // namespace recent

namespace {

// Names lanes for caches; counts those that ended, so that caches look for them. Results do not depend on it.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::uint64_t> next_key{1};
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
std::atomic<std::uint64_t> ended_lanes{0};

/// What one thread has decoded and used last.
class ChunkCache {
public:
    static ChunkCache& of_thread() {
        static thread_local ChunkCache cache;
        return cache;
    }

    ChunkCache() = default;
    ChunkCache(const ChunkCache&) = delete;
    ChunkCache& operator=(const ChunkCache&) = delete;
    ChunkCache(ChunkCache&&) = delete;
    ChunkCache& operator=(ChunkCache&&) = delete;

    ~ChunkCache() { recent::entries = {}; }

    /// The chunk if it is here, as the one used last.
    std::shared_ptr<const ChunkColumns> find(std::uint64_t key, std::size_t number) {
        const auto found = places_.find({key, number});
        if (found == places_.end()) {
            return nullptr;
        }
        used_.splice(used_.begin(), used_, found->second);
        return show(*found->second);
    }

    /// Decodes a chunk into memory that was in use before, where there is any.
    std::shared_ptr<ChunkColumns> decode(const SpansHeader& header,
                                         std::span<const std::byte> bytes,
                                         std::size_t lanes,
                                         std::size_t transfer_first) {
        std::shared_ptr<ChunkColumns> chunk = spare_ ? std::move(spare_) : std::make_shared<ChunkColumns>();
        spare_ = nullptr;
        decoder_.decode(header, bytes, lanes, *chunk);
        chunk->transfer_first = transfer_first;
        return chunk;
    }

    std::shared_ptr<const ChunkColumns> add(std::uint64_t key,
                                            std::size_t number,
                                            const std::shared_ptr<const bool>& alive,
                                            std::shared_ptr<ChunkColumns> chunk) {
        drop_ended();
        const std::size_t bytes = chunk->memory_bytes();
        while (bytes_ + bytes > LaneSpans::cached_bytes && !used_.empty()) {
            drop(std::prev(used_.end()));
        }
        bytes_ += bytes;
        used_.push_front({key, number, bytes, alive, std::move(chunk)});
        places_[{key, number}] = used_.begin();
        return show(used_.front());
    }

private:
    struct Decoded {
        std::uint64_t key = 0;
        std::size_t number = 0;
        std::size_t bytes = 0;
        std::weak_ptr<const bool> alive;
        std::shared_ptr<ChunkColumns> chunk;
    };

    using Place = std::pair<std::uint64_t, std::size_t>;

    struct Hash {
        std::size_t operator()(const Place& place) const {
            return place.first * 0x9e3779b97f4a7c15U + place.second;
        }
    };

    static recent::Entry& entry_of(std::uint64_t key) { return recent::entries[key % recent::count]; }

    static std::shared_ptr<const ChunkColumns> show(const Decoded& decoded) {
        const ChunkColumns& chunk = *decoded.chunk;
        entry_of(decoded.key) = {.key = decoded.key,
                                 .first = chunk.first,
                                 .rows = chunk.size(),
                                 .transfer_first = chunk.transfer_first,
                                 .transfers = chunk.transfers(),
                                 .chunk = &chunk};
        return decoded.chunk;
    }

    std::list<Decoded>::iterator drop(std::list<Decoded>::iterator decoded) {
        if (recent::Entry& entry = entry_of(decoded->key); entry.chunk == decoded->chunk.get()) {
            entry = {};
        }
        if (decoded->chunk.use_count() == 1) {
            spare_ = std::move(decoded->chunk);
        }
        bytes_ -= decoded->bytes;
        places_.erase({decoded->key, decoded->number});
        return used_.erase(decoded);
    }

    void drop_ended() {
        const std::uint64_t ended = ended_lanes.load(std::memory_order_acquire);
        if (ended == ended_) {
            return;
        }
        ended_ = ended;
        for (auto decoded = used_.begin(); decoded != used_.end();) {
            decoded = decoded->alive.expired() ? drop(decoded) : std::next(decoded);
        }
    }

    ChunkDecoder decoder_;
    std::list<Decoded> used_;  // the last one first
    std::unordered_map<Place, std::list<Decoded>::iterator, Hash> places_;
    std::shared_ptr<ChunkColumns> spare_;
    std::size_t bytes_ = 0;
    std::uint64_t ended_ = 0;
};

/// Where in its chunk first_ending_after() found a span last, beside each of recent::entries.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables)
thread_local constinit std::array<std::size_t, recent::count> last_found{};

/// The place of the first of ascending `values` that is above `limit`, looked for around `near`, where it
/// mostly is.
std::size_t first_above(const std::vector<std::uint64_t>& values, std::uint64_t limit, std::size_t near) {
    std::size_t low = 0;  // the result lies in [low, high]
    std::size_t high = values.size();
    near = std::min(near, high - 1);
    if (values[near] > limit) {
        high = near;
        for (std::size_t step = 1; step <= near; step *= 2) {
            if (values[near - step] <= limit) {
                low = near - step + 1;
                break;
            }
            high = near - step;
        }
    } else {
        low = near + 1;
        for (std::size_t step = 1; step < values.size() - near; step *= 2) {
            if (values[near + step] > limit) {
                high = near + step;
                break;
            }
            low = near + step + 1;
        }
    }
    const auto begin = values.begin();
    const auto found = std::upper_bound(
        begin + static_cast<std::ptrdiff_t>(low), begin + static_cast<std::ptrdiff_t>(high), limit);
    return static_cast<std::size_t>(found - begin);
}

// What the chunk's spans and the gaps before them come to, and where they end.
void add_up(const ChunkColumns& columns, StoredChunk& chunk) {
    std::uint64_t now = chunk.base;
    const auto until = [&](std::uint64_t end, Reason reason) {
        if (end > now) {
            chunk.cycles[static_cast<std::size_t>(reason)] += end - now;
            now = end;
        }
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        until(columns.start[i], Reason::issue);
        until(columns.end[i], columns.reason[i]);
    }
    chunk.start = columns.start.front();
    chunk.end = columns.end.back();
}

void put_columns_on(const AxisMap& axis, ChunkColumns& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const std::uint64_t start = axis.begin(columns.start[i]);
        columns.issue[i] = std::min(axis.begin(columns.issue[i]), start);
        columns.start[i] = start;
        columns.end[i] = std::max(axis.end(columns.end[i]), start);
        columns.complete[i] = std::max(axis.end(columns.complete[i]), columns.end[i]);
    }
}

}  // namespace

std::span<const std::byte> ByteStore::keep(std::span<const std::byte> bytes) {
    constexpr std::size_t smallest = std::size_t{1} << 12U;
    constexpr std::size_t largest = std::size_t{1} << 20U;
    if (used_ + bytes.size() > block_bytes_) {
        block_bytes_ = std::max(bytes.size(), std::clamp(block_bytes_ * 2, smallest, largest));
        blocks_.emplace_back(new std::byte[block_bytes_]);
        used_ = 0;
    }
    std::byte* const to = blocks_.back().get() + used_;
    std::memcpy(to, bytes.data(), bytes.size());
    used_ += bytes.size();
    return {to, bytes.size()};
}

LaneSpans::LaneSpans() : key_{next_key.fetch_add(1)}, alive_{std::make_shared<const bool>(true)} {}

LaneSpans::~LaneSpans() {
    alive_.reset();
    ended_lanes.fetch_add(1, std::memory_order_release);
}

std::uint64_t LaneSpans::append(const SpansHeader& header,
                                std::span<const std::byte> bytes,
                                std::size_t lanes,
                                ByteStore& store) {
    if (header.first != rows_) {
        throw UserError{
            "the recording is damaged: span {} of lane {} follows {}", header.first, header.lane, rows_};
    }
    ChunkCache& cache = ChunkCache::of_thread();
    std::shared_ptr<ChunkColumns> columns = cache.decode(header, bytes, lanes, transfers_);
    if (columns->size() == 0) {
        return 0;
    }
    StoredChunk chunk{.first = rows_,
                      .transfer_first = transfers_,
                      .rows = header.rows,
                      .transfers = static_cast<std::uint32_t>(columns->transfers()),
                      .lanes = static_cast<std::uint32_t>(lanes),
                      .header = header,
                      .bytes = store.keep(bytes),
                      .base = chunks_.empty() ? 0 : chunks_.back().end};
    add_up(*columns, chunk);
    const std::uint64_t last =
        std::max(chunk.end, *std::max_element(columns->complete.begin(), columns->complete.end()));
    rows_ += chunk.rows;
    transfers_ += chunk.transfers;
    chunks_.push_back(chunk);
    cache.add(key_, chunks_.size() - 1, alive_, std::move(columns));
    return last;
}

std::size_t LaneSpans::number_of(std::size_t i) const {
    check(i < rows_, "span {} of {}", i, rows_);
    // Chunks are full but for those that were written early.
    if (const std::size_t guess = i / chunk_rows;
        guess < chunks_.size() && i - chunks_[guess].first < chunks_[guess].rows) {
        return guess;
    }
    const auto behind = std::ranges::upper_bound(chunks_, i, {}, &StoredChunk::first);
    return static_cast<std::size_t>(behind - chunks_.begin()) - 1;
}

std::size_t LaneSpans::number_of_transfer(std::size_t t) const {
    check(t < transfers_, "transfer {} of {}", t, transfers_);
    const auto behind = std::ranges::upper_bound(chunks_, t, {}, &StoredChunk::transfer_first);
    return static_cast<std::size_t>(behind - chunks_.begin()) - 1;
}

std::shared_ptr<const ChunkColumns> LaneSpans::load(std::size_t number) const {
    ChunkCache& cache = ChunkCache::of_thread();
    if (std::shared_ptr<const ChunkColumns> found = cache.find(key_, number)) {
        return found;
    }
    const StoredChunk& chunk = chunks_[number];
    std::shared_ptr<ChunkColumns> columns =
        cache.decode(chunk.header, chunk.bytes, chunk.lanes, chunk.transfer_first);
    if (axis_ != nullptr) {
        put_columns_on(*axis_, *columns);
    }
    return cache.add(key_, number, alive_, std::move(columns));
}

void LaneSpans::put_on(std::shared_ptr<const AxisMap> axis) {
    axis_ = std::move(axis);
    key_ = next_key.fetch_add(1);  // what threads have decoded so far lies on another axis
    std::uint64_t base = 0;
    for (std::size_t number = 0; number < chunks_.size(); ++number) {
        StoredChunk& chunk = chunks_[number];
        chunk.base = base;
        chunk.cycles = {};
        add_up(*load(number), chunk);
        base = chunk.end;
    }
}

std::size_t LaneSpans::first_ending_after(std::uint64_t cycle) const {
    // Mostly the chunk that was read last: what lies before it has ended when its first span starts.
    if (const recent::Entry& entry = recent::entries[key_ % recent::count];
        entry.key == key_ && entry.chunk->start.front() <= cycle && cycle < entry.chunk->end.back()) {
        std::size_t& near = last_found[key_ % recent::count];
        near = first_above(entry.chunk->end, cycle, near);
        return entry.first + near;
    }
    const auto found = std::ranges::upper_bound(chunks_, cycle, {}, &StoredChunk::end);
    if (found == chunks_.end()) {
        return rows_;
    }
    const ChunkColumns& columns = with(found->first);
    const auto at = std::ranges::upper_bound(columns.end, cycle);
    return found->first + static_cast<std::size_t>(at - columns.end.begin());
}

std::size_t LaneSpans::first_starting_from(std::uint64_t cycle) const {
    const auto behind = std::ranges::lower_bound(chunks_, cycle, {}, &StoredChunk::start);
    if (behind == chunks_.begin()) {
        return 0;
    }
    const StoredChunk& chunk = *std::prev(behind);
    const ChunkColumns& columns = with(chunk.first);
    const auto at = std::ranges::lower_bound(columns.start, cycle);
    return chunk.first + static_cast<std::size_t>(at - columns.start.begin());
}

bool LaneSpans::has_more_than(std::size_t count, std::uint64_t from, std::uint64_t to) const {
    const auto first = std::ranges::upper_bound(chunks_, from, {}, &StoredChunk::end);
    const auto behind = std::ranges::lower_bound(chunks_, to, {}, &StoredChunk::start);
    if (behind <= first) {
        return false;
    }
    const StoredChunk& last = *std::prev(behind);
    if (last.first + last.rows - first->first <= count) {
        return false;
    }
    // All of those between the first and the last lie within.
    if (behind - first > 2 && last.first - std::next(first)->first > count) {
        return true;
    }
    const std::size_t ending = first_ending_after(from);
    const std::size_t starting = first_starting_from(to);
    return starting > ending && starting - ending > count;
}

std::size_t LaneSpans::first_transfer_from(std::size_t row) const {
    if (row >= rows_) {
        return transfers_;
    }
    const StoredChunk& chunk = chunks_[number_of(row)];
    if (chunk.transfers == 0) {
        return chunk.transfer_first;
    }
    const ChunkColumns& columns = with(row);
    const auto at = std::ranges::lower_bound(columns.transfer_row, row);
    return chunk.transfer_first + static_cast<std::size_t>(at - columns.transfer_row.begin());
}

}  // namespace ascendsim::record
