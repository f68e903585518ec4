// SPDX-License-Identifier: Apache-2.0
// How a transfer's lines are walked: fast when they are there, and with the host's memory asked ahead for the
// rest.
#include <algorithm>
#include <bit>

#include "models/memory/l2_cache.hpp"

namespace ascendsim {
namespace {

// Where a line's word has what, and what a hit leaves as it is.
static_assert(std::endian::native == std::endian::little);
constexpr unsigned valid_shift = 32;
constexpr unsigned arriving_shift = 39;
constexpr unsigned dirty_shift = 40;
constexpr unsigned user_shift = 48;
constexpr unsigned sharers_shift = 56;
constexpr std::uint64_t kept = 0x0000ffff00000000ULL;

}  // namespace

/// Asks the host's memory for the lines of a batch, while the one before it is walked.
void L2Cache::ask_for_lines(const Rows& rows) {
    constexpr std::uint32_t lines_a_host_line = 64 / sizeof(Line);
    const std::uint32_t lines = rows.row.lines;
    const Line* line = &lines_[rows.row.first_line];
    if (lines == 1) {
        for (std::uint64_t left = rows.count; left != 0; --left, line += rows.line_pitch) {
            __builtin_prefetch(line, 1);
        }
        return;
    }
    for (std::uint64_t left = rows.count; left != 0; --left, line += rows.line_pitch) {
        for (std::uint32_t ahead = 0; ahead < lines; ahead += lines_a_host_line) {
            __builtin_prefetch(line + ahead, 1);
        }
    }
}

/// Asks the host's memory for what else lines that are not in L2 will need, all at once: their sets, then the
/// lines that will likely leave these sets.
void L2Cache::look_ahead(std::span<Other> others, std::uint32_t now) {
    for (Other& other : others) {
        other.likely = nobody;
        if (lines_[other.line].valid == 0) {
            other.likely.set = set_index(other.line);
            const std::span<Resident> set = set_at(other.likely.set);
            __builtin_prefetch(&set.front(), 1);
            __builtin_prefetch(&set.back(), 1);
        }
    }
    std::array<Other*, batch_lines> open;
    std::size_t count = 0;
    for (Other& other : others) {
        if (other.likely.set != nobody.set && set_at(other.likely.set).back().line_after != 0) {
            open[count++] = &other;
        }
    }
    // Most lines were used since their set was last looked at; those found so in a round are asked for
    // together.
    constexpr int rounds = 4;
    for (int round = 0; round < rounds && count != 0; ++round) {
        const std::span looked_at{open.data(), count};
        count = 0;
        for (Other* other : looked_at) {
            if (look_for_victim(other->likely, now)) {
                open[count++] = other;
            }
        }
    }
}

/// Finds who is to leave a set as far as can be told now, and asks for its line. False: it was there, and
/// nothing changed.
bool L2Cache::look_for_victim(Likely& likely, std::uint32_t now) {
    const std::span<Resident> set = set_at(likely.set);
    Resident& last = set[likely.way];
    if (last == likely.victim) {
        const std::uint32_t time = lines_[last.line()].time;
        if (time == last.known) {
            return false;
        }
        last.known = time;
    }
    likely.way = static_cast<std::uint32_t>(oldest_of(set, now));
    likely.victim = set[likely.way];
    __builtin_prefetch(&lines_[likely.victim.line()], 1);
    return true;
}

void L2Cache::walk(const Rows& rows, const Access& access, L2Outcome& outcome) {
    const std::uint32_t lines = rows.row.lines;
    if (lines > batch_lines) {  // a row at a time, in pieces
        for (std::uint64_t i = 0; i < rows.count; ++i) {
            walk_long_row(
                {.first_line = static_cast<std::uint32_t>(rows.row.first_line + i * rows.line_pitch),
                 .lines = lines,
                 .head = rows.row.head,
                 .tail = rows.row.tail},
                access,
                outcome);
        }
        return;
    }
    const std::uint64_t most = batch_lines / lines;
    Rows batch = rows;
    batch.count = std::min(most, rows.count);
    ask_for_lines(batch);
    for (std::uint64_t left = rows.count; left != 0;) {
        left -= batch.count;
        Rows next = batch;
        next.row.first_line += static_cast<std::uint32_t>(batch.line_pitch * batch.count);
        next.count = std::min(most, left);
        ask_for_lines(next);
        walk_batch(batch, access, outcome);
        batch = next;
    }
}

void L2Cache::walk_long_row(const Row& row, const Access& access, L2Outcome& outcome) {
    const auto piece = [&row](std::uint32_t from) {
        const std::uint32_t lines = std::min<std::uint32_t>(batch_lines, row.lines - from);
        return Rows{.row = {.first_line = row.first_line + from,
                            .lines = lines,
                            .head = from == 0 ? row.head : all_sectors,
                            .tail = from + lines == row.lines ? row.tail : all_sectors},
                    .count = 1,
                    .line_pitch = 0};
    };
    Rows batch = piece(0);
    ask_for_lines(batch);
    for (std::uint32_t from = batch.row.lines; batch.row.lines != 0;) {
        const Rows next = piece(from);
        ask_for_lines(next);
        walk_batch(batch, access, outcome);
        from += next.row.lines;
        batch = next;
    }
}

/// Settles the lines of `rows` up to the first that is not a plain hit, and notes the others. All it needs is
/// in locals, which no store can change: this loop is a quarter of the simulator's time.
void L2Cache::settle_hits(const Rows& rows, const Access& access, Batch& batch) {
    Line* const lines = &lines_[0];
    const std::uint32_t now = access.now;
    const std::uint32_t window = sharing_window_;
    const std::uint64_t core = access.core;
    const std::uint64_t dirties = access.dirties;
    std::uint64_t wanting = access.brief;  // not 0: no more plain hits
    std::size_t others = 0;
    std::uint64_t shared = 0;
    const auto touch = [&](std::uint32_t number, std::uint64_t sectors) {
        // A line is looked at and written as one word.
        const auto line = std::bit_cast<std::uint64_t>(lines[number]);
        wanting |= (sectors & ~(line >> valid_shift)) | (line >> arriving_shift & 1U);
        if (wanting != 0) {
            batch.others[others].line = number;
            batch.others[others++].sectors = static_cast<std::uint32_t>(sectors);
            return;
        }
        std::uint64_t next = (line & kept) | (sectors & dirties) << dirty_shift | core << user_shift | now;
        if ((line >> user_shift & 0xffU) != core && now - static_cast<std::uint32_t>(line) < window) {
            const std::uint64_t sharers = std::min<std::uint64_t>((line >> sharers_shift) + 1, 255);
            shared += sharers;
            next |= sharers << sharers_shift;
        }
        lines[number] = std::bit_cast<Line>(next);
    };
    const Row row = rows.row;
    const std::uint32_t pitch = rows.line_pitch;
    std::uint32_t first = row.first_line;
    if (row.lines == 1) {
        const std::uint64_t sectors = row.head & row.tail;
        for (std::uint64_t left = rows.count; left != 0; --left, first += pitch) {
            touch(first, sectors);
        }
    } else {
        for (std::uint64_t left = rows.count; left != 0; --left, first += pitch) {
            const std::uint32_t last = first + row.lines - 1;
            touch(first, row.head);
            for (std::uint32_t line = first + 1; line != last; ++line) {
                touch(line, all_sectors);
            }
            touch(last, row.tail);
        }
    }
    batch.count = others;
    batch.shared_requests = shared;
}

void L2Cache::walk_batch(const Rows& rows, const Access& access, L2Outcome& outcome) {
    Batch batch;
    settle_hits(rows, access, batch);
    const Row row = rows.row;
    const std::uint64_t bytes =
        row.lines == 1 ? bytes_of_[row.head & row.tail]
                       : bytes_of_[row.head] + (row.lines - 2) * bytes_of_[all_sectors] + bytes_of_[row.tail];
    outcome.hit_bytes += rows.count * bytes;
    outcome.shared_requests += batch.shared_requests;
    const std::span others{batch.others.data(), batch.count};
    look_ahead(others, access.now);
    for (const Other& other : others) {
        outcome.hit_bytes -= bytes_of_[other.sectors];
        touch_other(other, access, outcome);
    }
}

}  // namespace ascendsim
