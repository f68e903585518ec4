// SPDX-License-Identifier: Apache-2.0
#include "models/memory/l2_cache.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t sectors_per_line = 4;
constexpr unsigned all_sectors = 0x0f;
constexpr std::uint32_t oldest_age = 0x7fffffffU;
constexpr std::uint64_t lines_a_dirty_one = 4;  // of what other kernels left; assumed
constexpr double golden = 0.618033988749895;  // its multiples stay apart longest

}  // namespace

L2Cache::L2Cache(const L2Spec& spec, std::uint64_t memory_bytes)
    : line_bytes_{spec.line},
      sector_bytes_{spec.line / sectors_per_line},
      sector_shift_{static_cast<std::uint32_t>(std::countr_zero(spec.line / sectors_per_line))},
      sharing_window_{spec.read_latency},
      associativity_{spec.ways},
      sets_{static_cast<std::uint32_t>(spec.bytes / spec.line / spec.ways)},
      skew_{static_cast<std::uint32_t>(sets_ * golden) | 1U},
      memory_lines_{memory_bytes / spec.line},
      lines_{memory_bytes / spec.line + 1},
      residents_(std::size_t{sets_} * spec.ways, empty),
      bytes_of_{} {
    if (memory_bytes / spec.line >= empty) {
        throw UserError{"hbm.bytes: {} B has more than 2^32 lines of {} B", memory_bytes, spec.line};
    }
    if (!std::has_single_bit(spec.line)) {
        throw UserError{"l2.line: {} is not a power of two", spec.line};
    }
    for (unsigned sectors = 0; sectors < bytes_of_.size(); ++sectors) {
        bytes_of_[sectors] = static_cast<std::uint64_t>(std::popcount(sectors)) * sector_bytes_;
    }
}

void L2Cache::clear() {
    lines_.clear();
    std::ranges::fill(residents_, empty);
}

std::uint64_t L2Cache::dirty_bytes() const {
    std::uint64_t bytes = 0;
    for (const std::uint32_t number : residents_) {
        bytes += number == empty ? 0 : bytes_of_[lines_[number].dirty];
    }
    return bytes;
}

void L2Cache::warm(std::uint64_t offset, std::uint64_t bytes) {
    if (sets_ == 0 || bytes == 0) {
        return;
    }
    L2Outcome ignored;
    for (std::uint64_t line = offset / line_bytes_; line <= (offset + bytes - 1) / line_bytes_; ++line) {
        const auto number = static_cast<std::uint32_t>(line);
        if (lines_[number].valid == 0) {
            make_room(number, warm_time_, ignored);
        }
        // Before time 0, in order: what was warmed first leaves first, and no core counts as using it.
        lines_[number] = {.time = warm_time_++ - oldest_age, .valid = all_sectors};
    }
}

void L2Cache::use() {
    const std::uint64_t held = std::uint64_t{sets_} * associativity_;
    const std::uint64_t first = memory_lines_ - std::min(memory_lines_, held);
    warm(first * line_bytes_, (memory_lines_ - first) * line_bytes_);
    for (std::uint64_t line = first; line < memory_lines_; line += lines_a_dirty_one) {
        lines_[line].dirty = all_sectors;
    }
}

std::uint32_t L2Cache::set_index(std::uint32_t number) const {
    // Each wrap around the sets starts elsewhere: a range of memory fills all sets alike, and so does a slice of a
    // matrix whose rows take a round number of lines [L2-002: such a slice of 75 MB hits to 75 % when read 4 times].
    return static_cast<std::uint32_t>((number % sets_ + std::uint64_t{number / sets_} * skew_) % sets_);
}

void L2Cache::make_room(std::uint32_t number, std::uint32_t now, L2Outcome& outcome) {
    // A set lists its lines in order of arrival, free places last: of lines used in one cycle the first to come goes first.
    const std::span<std::uint32_t> set{&residents_[std::size_t{set_index(number)} * associativity_], associativity_};
    if (set.back() == empty) {
        *std::ranges::find(set, empty) = number;
        return;
    }
    // Ages, not times, are compared: they survive the wrap-around of the 32-bit clock.
    const auto victim = std::ranges::max_element(set, {}, [&](std::uint32_t line) { return now - lines_[line].time; });
    outcome.written_back += bytes_of_[lines_[*victim].dirty];
    lines_[*victim] = {};
    std::shift_left(victim, set.end(), 1);
    set.back() = number;
}

inline void L2Cache::touch(std::uint32_t number, unsigned sectors, const Access& access, L2Outcome& outcome) {
    Line line = lines_[number];
    if (line.valid == 0) [[unlikely]] {
        make_room(number, access.now, outcome);
    } else if (line.user != access.core && access.now - line.time < sharing_window_) {
        line.sharers = static_cast<std::uint8_t>(line.sharers + (line.sharers != 255 ? 1 : 0));
        outcome.shared_requests += line.sharers;
    } else {
        line.sharers = 0;
    }
    const unsigned hits = access.fetches ? sectors & line.valid : sectors;
    outcome.hit_bytes += bytes_of_[hits];
    outcome.miss_bytes += bytes_of_[sectors ^ hits];
    line.dirty = static_cast<std::uint8_t>(line.dirty | (sectors & access.dirties));
    line.valid = static_cast<std::uint8_t>(line.valid | sectors);
    line.user = access.core;
    line.time = access.stamp;
    lines_[number] = line;
}

void L2Cache::walk_row(std::uint64_t offset, std::uint64_t bytes, const Access& access, L2Outcome& outcome) {
    const std::uint64_t first = offset >> sector_shift_;
    const std::uint64_t last = (offset + bytes - 1) >> sector_shift_;
    auto line = static_cast<std::uint32_t>(first / sectors_per_line);
    const auto last_line = static_cast<std::uint32_t>(last / sectors_per_line);
    const unsigned head = all_sectors << (first % sectors_per_line) & all_sectors;
    const unsigned tail = all_sectors >> (sectors_per_line - 1 - last % sectors_per_line);
    if (line == last_line) {
        touch(line, head & tail, access, outcome);
        return;
    }
    touch(line, head, access, outcome);
    while (++line != last_line) {
        touch(line, all_sectors, access, outcome);
    }
    touch(line, tail, access, outcome);
}

L2Outcome L2Cache::access(const isa::Transfer& transfer, std::uint32_t core, std::uint64_t now) {
    L2Outcome outcome;
    const bool write = isa::is_write(transfer.route);
    const Access access{.fetches = !write || transfer.atomic,
                        .dirties = write ? all_sectors : 0U,
                        .core = static_cast<std::uint8_t>(core),
                        .now = static_cast<std::uint32_t>(now),
                        .stamp = static_cast<std::uint32_t>(now) - (transfer.bypass_l2 ? oldest_age : 0)};
    const bool merged = transfer.row_pitch == transfer.row_bytes;
    const std::uint64_t rows = merged ? 1 : transfer.rows;
    const std::uint64_t bytes = merged ? std::uint64_t{transfer.row_bytes} * transfer.rows : transfer.row_bytes;
    if (bytes == 0) {
        return outcome;
    }
    for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
        std::uint64_t start = transfer.offset + plane * transfer.plane_pitch;
        for (std::uint64_t row = 0; row < rows; ++row, start += transfer.row_pitch) {
            if (sets_ == 0) {
                const std::uint64_t sectors = ((start + bytes - 1) >> sector_shift_) - (start >> sector_shift_) + 1;
                (write ? outcome.bypassed_bytes : outcome.miss_bytes) += sectors << sector_shift_;
            } else {
                walk_row(start, bytes, access, outcome);
            }
        }
    }
    return outcome;
}

}  // namespace ascendsim
