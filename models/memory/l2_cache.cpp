// SPDX-License-Identifier: Apache-2.0
#include "models/memory/l2_cache.hpp"

#include <algorithm>
#include <bit>

#include "sim/base/error.hpp"

namespace ascendsim {
namespace {

constexpr std::uint32_t oldest_age = 0x7fffffffU;
constexpr double golden = 0.618033988749895;  // its multiples stay apart longest

}  // namespace

L2Cache::L2Cache(const L2Spec& spec,
                 std::uint64_t memory_bytes,
                 double passing_cycles_per_byte,
                 std::uint32_t fill_cycles)
    : line_bytes_{spec.line},
      sector_bytes_{spec.line / sectors_per_line},
      sector_shift_{static_cast<std::uint32_t>(std::countr_zero(spec.line / sectors_per_line))},
      sharing_window_{spec.read_latency},
      passing_cycles_per_byte_{passing_cycles_per_byte},
      fill_cycles_{fill_cycles},
      associativity_{spec.ways},
      sets_{static_cast<std::uint32_t>(spec.bytes / spec.line / spec.ways)},
      skew_{static_cast<std::uint32_t>(sets_ * golden) | 1U},
      memory_lines_{memory_bytes / spec.line},
      lines_{memory_bytes / spec.line + 1},
      residents_(std::size_t{sets_} * spec.ways),
      bytes_of_{} {
    if (memory_bytes / spec.line >= ~std::uint32_t{0}) {
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
    residents_.clear();
}

std::uint64_t L2Cache::dirty_bytes() const {
    std::uint64_t bytes = 0;
    for (std::size_t place = 0; place < residents_.size(); ++place) {
        const Resident& resident = residents_[place];
        bytes += resident.line_after == 0 ? 0 : bytes_of_[lines_[resident.line()].dirty];
    }
    return bytes;
}

void L2Cache::warm(std::uint64_t offset, std::uint64_t bytes, bool dirty) {
    if (sets_ == 0 || bytes == 0) {
        return;
    }
    L2Outcome ignored;
    for (std::uint64_t line = offset / line_bytes_; line <= (offset + bytes - 1) / line_bytes_; ++line) {
        const auto number = static_cast<std::uint32_t>(line);
        // Before time 0, in order: what was warmed first leaves first, and no core counts as using it.
        const std::uint32_t stamp = warm_time_ - oldest_age;
        if (lines_[number].valid == 0) {
            make_room(number, warm_time_, stamp, nobody, ignored);
        } else {
            grow_older(number, stamp);
        }
        lines_[number] = {
            .time = stamp, .valid = all_sectors, .dirty = static_cast<std::uint8_t>(dirty ? all_sectors : 0)};
        ++warm_time_;
    }
}

void L2Cache::use(std::uint64_t lines_a_dirty_one) {
    const std::uint64_t held = std::uint64_t{sets_} * associativity_;
    const std::uint64_t first = memory_lines_ - std::min(memory_lines_, held);
    warm(first * line_bytes_, (memory_lines_ - first) * line_bytes_);
    for (std::uint64_t line = first; line < memory_lines_; line += lines_a_dirty_one) {
        lines_[line].dirty = all_sectors;
    }
}

std::uint32_t L2Cache::set_index(std::uint32_t number) const {
    // Each wrap around the sets starts elsewhere: a range of memory fills all sets alike, and so does a slice
    // of a matrix whose rows take a round number of lines [L2-002: such a slice of 75 MB hits to 75 % when
    // read 4 times].
    return static_cast<std::uint32_t>((number % sets_ + std::uint64_t{number / sets_} * skew_) % sets_);
}

std::span<L2Cache::Resident> L2Cache::set_at(std::uint32_t index) {
    return {&residents_[std::size_t{index} * associativity_], associativity_};
}

std::size_t L2Cache::oldest_of(std::span<const Resident> set, std::uint32_t now) {
    // Ages, not times, are compared: they survive the wrap-around of the 32-bit clock. Of lines used in one
    // cycle the first to come goes first.
    std::size_t oldest = 0;
    std::uint32_t most = now - set[0].known;
    for (std::size_t way = 1; way < set.size(); ++way) {
        const std::uint32_t age = now - set[way].known;
        oldest = age > most ? way : oldest;
        most = std::max(age, most);
    }
    return oldest;
}

void L2Cache::make_room(
    std::uint32_t number, std::uint32_t now, std::uint32_t stamp, const Likely& likely, L2Outcome& outcome) {
    const std::span<Resident> set = set_at(likely.set == nobody.set ? set_index(number) : likely.set);
    if (set.back().line_after == 0) {
        *std::ranges::find(set, 0U, &Resident::line_after) = {number + 1, stamp};
        return;
    }
    bool first = stamp == now && likely.victim.line_after != 0 && set[likely.way] == likely.victim;
    for (;; first = false) {
        // Since it was looked for, others of its set can only have become younger.
        const std::size_t oldest = first ? likely.way : oldest_of(set, now);
        Resident& victim = set[oldest];
        Line& line = lines_[victim.line()];
        if (line.time != victim.known) {
            victim.known = line.time;  // it was used since: is it still the oldest?
            continue;
        }
        outcome.written_back += bytes_of_[line.dirty];
        line = {};
        std::shift_left(set.begin() + static_cast<std::ptrdiff_t>(oldest), set.end(), 1);
        set.back() = {number + 1, stamp};
        return;
    }
}

void L2Cache::grow_older(std::uint32_t number, std::uint32_t stamp) {
    std::ranges::find(set_at(set_index(number)), number + 1, &Resident::line_after)->known = stamp;
}

/// A touch of a read past L2: what is here is taken, nothing is put here.
void L2Cache::touch_passing(const Other& other, const Access& access, L2Outcome& outcome) {
    Line line = lines_[other.line];
    outcome.hit_bytes += bytes_of_[other.sectors & line.valid];
    outcome.miss_bytes += bytes_of_[other.sectors & ~unsigned{line.valid}];
    if (line.valid == 0) {  // only who reads it is noted
        const bool shared =
            line.time != 0 && line.user != access.core && access.now - line.time < access.window;
        outcome.passing_in_step +=
            shared || access.followed ? static_cast<unsigned>(std::popcount(other.sectors)) : 0U;
        line.user = access.core;
        line.time = access.now;
        lines_[other.line] = line;
    }
}

/// A touch that finds sectors missing or arriving, or leaves the line older than it was.
void L2Cache::touch_other(const Other& other, const Access& access, L2Outcome& outcome) {
    if (access.passes) {
        touch_passing(other, access, outcome);
        return;
    }
    const std::uint32_t number = other.line;
    const unsigned sectors = other.sectors;
    Line line = lines_[number];
    const std::uint32_t age = access.now - line.time;
    const bool on_its_way = (line.valid & arriving) != 0 && age < fill_cycles_;
    if (line.valid == 0) {
        make_room(number, access.now, access.stamp, other.likely, outcome);
        line.sharers = 0;
    } else {
        if (access.stamp != access.now) {
            grow_older(number, access.stamp);
        }
        if (line.user != access.core && (on_its_way || age < access.window)) {
            line.sharers = static_cast<std::uint8_t>(line.sharers + (line.sharers != 255 ? 1 : 0));
            outcome.shared_requests += line.sharers;
        } else {
            line.sharers = 0;
        }
    }
    const unsigned hits = access.fetches ? sectors & line.valid : sectors;
    outcome.hit_bytes += bytes_of_[hits];
    outcome.miss_bytes += bytes_of_[sectors ^ hits];
    outcome.allocated_bytes += access.fetches ? 0 : bytes_of_[sectors & ~unsigned{line.valid}];
    if (on_its_way && access.fetches) {
        outcome.awaited_bytes += static_cast<double>(bytes_of_[hits]) * (fill_cycles_ - age) / fill_cycles_;
    }
    const bool misses = hits != sectors && access.stamp == access.now && fill_cycles_ != 0;
    line.dirty = static_cast<std::uint8_t>(line.dirty | (sectors & access.dirties));
    line.valid = static_cast<std::uint8_t>((line.valid & all_sectors) | sectors |
                                           (misses || on_its_way ? arriving : 0U));
    line.user = access.core;
    line.time = on_its_way && !misses ? line.time : access.stamp;
    lines_[number] = line;
}

L2Cache::Row L2Cache::row_at(std::uint64_t offset, std::uint64_t bytes) const {
    const std::uint64_t first = offset >> sector_shift_;
    const std::uint64_t last = (offset + bytes - 1) >> sector_shift_;
    const std::uint64_t first_line = first / sectors_per_line;
    return {.first_line = static_cast<std::uint32_t>(first_line),
            .lines = static_cast<std::uint32_t>(last / sectors_per_line - first_line + 1),
            .head = all_sectors << (first % sectors_per_line) & all_sectors,
            .tail = all_sectors >> (sectors_per_line - 1 - last % sectors_per_line)};
}

/// What passes by a chip without L2 contents.
L2Outcome L2Cache::around(const isa::Transfer& transfer, std::uint64_t rows, std::uint64_t bytes) const {
    std::uint64_t sectors = 0;
    for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
        for (std::uint64_t row = 0; row < rows; ++row) {
            const std::uint64_t start =
                transfer.offset + plane * transfer.plane_pitch + row * transfer.row_pitch;
            sectors += ((start + bytes - 1) >> sector_shift_) - (start >> sector_shift_) + 1;
        }
    }
    L2Outcome outcome;
    (isa::is_write(transfer.route) ? outcome.bypassed_bytes : outcome.miss_bytes) = sectors << sector_shift_;
    return outcome;
}

/// True if another core has come to the lines that `core` read past L2 last.
bool L2Cache::is_followed(std::uint32_t core, std::uint32_t now, std::uint32_t window) const {
    const std::uint32_t after = last_passed_[core & 0xffU];
    if (after == 0) {
        return false;
    }
    const Line line = lines_[after - 1];
    return line.time != 0 && line.user != static_cast<std::uint8_t>(core) && now - line.time < window;
}

/// How `core` comes to the lines of `transfer`.
L2Cache::Access L2Cache::access_of(const isa::Transfer& transfer,
                                   std::uint32_t core,
                                   std::uint32_t now) const {
    const bool write = isa::is_write(transfer.route);
    const bool passes = !write && transfer.bypass_l2;
    const double moved = double(transfer.row_bytes) * transfer.rows * transfer.planes;
    // Nothing keeps a line that passes: cores meet at it as long as the first is still under way.
    const std::uint32_t window =
        sharing_window_ + static_cast<std::uint32_t>(passes ? moved * passing_cycles_per_byte_ : 0.0);
    return {.fetches = !write || transfer.atomic,
            .passes = passes,
            .brief = transfer.bypass_l2 ? all_sectors : 0U,
            .dirties = write ? all_sectors : 0U,
            .core = static_cast<std::uint8_t>(core),
            .window = window,
            .followed = passes && is_followed(core, now, window),
            .now = now,
            .stamp = now - (transfer.bypass_l2 ? oldest_age : 0)};
}

L2Outcome L2Cache::access(const isa::Transfer& transfer, std::uint32_t core, std::uint64_t now) {
    const Access access = access_of(transfer, core, static_cast<std::uint32_t>(now));
    const bool merged = transfer.row_pitch == transfer.row_bytes;
    const std::uint64_t rows = merged ? 1 : transfer.rows;
    const std::uint64_t bytes =
        merged ? std::uint64_t{transfer.row_bytes} * transfer.rows : transfer.row_bytes;
    if (bytes == 0) {
        return {};
    }
    if (sets_ == 0) {
        return around(transfer, rows, bytes);
    }
    L2Outcome outcome;
    const bool alike = transfer.row_pitch % line_bytes_ == 0;
    for (std::uint64_t plane = 0; plane < transfer.planes; ++plane) {
        const std::uint64_t start = transfer.offset + plane * transfer.plane_pitch;
        if (alike) {
            walk({.row = row_at(start, bytes),
                  .count = rows,
                  .line_pitch = static_cast<std::uint32_t>(transfer.row_pitch / line_bytes_)},
                 access,
                 outcome);
            continue;
        }
        for (std::uint64_t row = 0; row < rows; ++row) {
            walk({.row = row_at(start + row * transfer.row_pitch, bytes), .count = 1, .line_pitch = 0},
                 access,
                 outcome);
        }
    }
    if (access.passes) {
        last_passed_[core & 0xffU] = row_at(transfer.offset, bytes).first_line + 1;
    }
    return outcome;
}

}  // namespace ascendsim
