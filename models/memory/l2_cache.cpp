// SPDX-License-Identifier: Apache-2.0
#include "models/memory/l2_cache.hpp"

#include <algorithm>
#include <bit>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t sectors_per_line = 4;
constexpr std::uint8_t all_sectors = 0x0f;

}  // namespace

L2Cache::L2Cache(const L2Spec& spec, std::uint64_t memory_bytes)
    : line_bytes_{spec.line},
      sector_bytes_{spec.line / sectors_per_line},
      sharing_window_{spec.read_latency},
      associativity_{spec.ways},
      sets_{static_cast<std::uint32_t>(spec.bytes / spec.line / spec.ways)} {
    if (memory_bytes / spec.line >= empty) {
        throw UserError{"hbm.bytes: {} B has more than 2^32 lines of {} B", memory_bytes, spec.line};
    }
    ways_.resize(std::size_t{sets_} * associativity_);
}

void L2Cache::clear() {
    std::ranges::fill(ways_, Way{});
    clock_ = 0;
}

std::uint64_t L2Cache::dirty_bytes() const {
    std::uint64_t sectors = 0;
    for (const Way& way : ways_) {
        sectors += static_cast<std::uint64_t>(std::popcount(way.dirty));
    }
    return sectors * sector_bytes_;
}

void L2Cache::warm(std::uint64_t offset, std::uint64_t bytes) {
    if (sets_ == 0 || bytes == 0) {
        return;
    }
    L2Outcome ignored;
    for (std::uint64_t line = offset / line_bytes_; line <= (offset + bytes - 1) / line_bytes_; ++line) {
        Way& way = find_or_evict(static_cast<std::uint32_t>(line), ignored);
        way.line = static_cast<std::uint32_t>(line);
        way.valid = all_sectors;
        way.stamp = ++clock_;
    }
}

L2Outcome L2Cache::access(const isa::Transfer& transfer, std::uint32_t core, std::uint64_t now) {
    L2Outcome outcome;
    const bool merged = transfer.row_pitch == transfer.row_bytes;
    const std::uint64_t rows = merged ? 1 : transfer.rows;
    const std::uint64_t bytes =
        merged ? std::uint64_t{transfer.row_bytes} * transfer.rows : transfer.row_bytes;
    for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
        const std::uint64_t start = transfer.offset + plane * transfer.plane_pitch;
        for (std::uint64_t row = 0; row < rows; ++row) {
            walk_row(start + row * transfer.row_pitch, bytes, transfer, core, now, outcome);
        }
    }
    return outcome;
}

void L2Cache::walk_row(std::uint64_t offset,
                       std::uint64_t bytes,
                       const isa::Transfer& transfer,
                       std::uint32_t core,
                       std::uint64_t now,
                       L2Outcome& outcome) {
    if (bytes == 0) {
        return;
    }
    const std::uint64_t first = offset / sector_bytes_;
    const std::uint64_t last = (offset + bytes - 1) / sector_bytes_;
    if (sets_ == 0) {
        (isa::is_write(transfer.route) ? outcome.bypassed_bytes : outcome.miss_bytes) +=
            (last - first + 1) * sector_bytes_;
        return;
    }
    for (std::uint64_t line = first / sectors_per_line; line <= last / sectors_per_line; ++line) {
        const std::uint64_t base = line * sectors_per_line;
        const auto from = static_cast<unsigned>(std::max(first, base) - base);
        const auto to = static_cast<unsigned>(std::min(last, base + sectors_per_line - 1) - base);
        const auto sectors =
            static_cast<std::uint8_t>((all_sectors << from) & (all_sectors >> (sectors_per_line - 1 - to)));
        touch(static_cast<std::uint32_t>(line), sectors, transfer, core, now, outcome);
    }
}

L2Cache::Way& L2Cache::find_or_evict(std::uint32_t line, L2Outcome& outcome) {
    Way* const set = set_of(line);
    Way* oldest = set;
    for (std::uint32_t w = 0; w < associativity_; ++w) {
        if (set[w].line == line) {
            return set[w];
        }
        // Distances survive the stamp's wrap-around; an empty way is always the oldest.
        const bool older = set[w].line == empty
                               ? oldest->line != empty
                               : oldest->line != empty && clock_ - set[w].stamp > clock_ - oldest->stamp;
        if (older) {
            oldest = &set[w];
        }
    }
    outcome.written_back += static_cast<std::uint64_t>(std::popcount(oldest->dirty)) * sector_bytes_;
    *oldest = Way{};
    return *oldest;
}

void L2Cache::touch(std::uint32_t line,
                    std::uint8_t sectors,
                    const isa::Transfer& transfer,
                    std::uint32_t core,
                    std::uint64_t now,
                    L2Outcome& outcome) {
    const bool write = isa::is_write(transfer.route);
    Way& way = find_or_evict(line, outcome);
    if (way.line != line) {
        way.line = line;
    } else if (way.user != static_cast<std::uint8_t>(core) &&
               static_cast<std::uint32_t>(now) - way.time < sharing_window_) {
        way.sharers = static_cast<std::uint8_t>(std::min(way.sharers + 1, 255));
        outcome.shared_requests += way.sharers;
    } else {
        way.sharers = 0;
    }
    const auto count = [&](unsigned bits) {
        return static_cast<std::uint64_t>(std::popcount(bits)) * sector_bytes_;
    };
    if (write && !transfer.atomic) {
        outcome.hit_bytes += count(sectors);
        way.dirty |= sectors;
    } else {
        outcome.hit_bytes += count(sectors & way.valid);
        outcome.miss_bytes += count(static_cast<unsigned>(sectors & ~way.valid));
        way.dirty = static_cast<std::uint8_t>(way.dirty | (write ? sectors : 0));
    }
    way.valid |= sectors;
    way.user = static_cast<std::uint8_t>(core);
    way.time = static_cast<std::uint32_t>(now);
    // A copy that asks not to be kept leaves its line first in turn for eviction.
    way.stamp = transfer.bypass_l2 ? clock_ - 0x7fffffffU : ++clock_;
}

}  // namespace ascendsim
