// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/port/timed_op.hpp"
#include "models/spec/memory_spec.hpp"
#include "sim/base/lazy_array.hpp"

namespace ascendsim {

/// What a transfer met in L2. Bytes are of whole sectors (a quarter of a line).
struct L2Outcome {
    std::uint64_t hit_bytes = 0;
    std::uint64_t miss_bytes = 0;       // fetched from global memory
    std::uint64_t written_back = 0;     // dirty sectors evicted to make room
    std::uint64_t bypassed_bytes = 0;   // written around L2
    std::uint64_t allocated_bytes = 0;  // written to sectors that were not in L2
    std::uint64_t shared_requests = 0;  // sum over lines of the other cores found using the line just now
    std::uint64_t passing_in_step = 0;  // sectors read past L2 while other cores are at these lines too
    double awaited_bytes =
        0;  // of the hits, those on their way from memory, by the share of it still to come
};

/// The shared L2's contents: set associative, least recently used, write back, four sectors a line. Which set
/// an address goes to, associativity and replacement are not published; these are the plain choices.
class L2Cache {
public:
    /// `passing_cycles_per_byte`: what a byte takes a core when all of them read past L2 at once.
    /// `fill_cycles`: what a line takes to arrive from memory; who hits it before waits with who missed it.
    L2Cache(const L2Spec& spec,
            std::uint64_t memory_bytes,
            double passing_cycles_per_byte = 0,
            std::uint32_t fill_cycles = 0);

    /// Walks the lines of `transfer` at time `now` (cycles) for `core`, and updates the contents.
    L2Outcome access(const isa::Transfer& transfer, std::uint32_t core, std::uint64_t now);
    /// Puts a range's lines in, as an earlier run would have left them: clean if it read them, else dirty.
    void warm(std::uint64_t offset, std::uint64_t bytes, bool dirty = false);
    /// Fills it with lines of the end of memory, one in `lines_a_dirty_one` dirty, as other kernels would
    /// have left them.
    void use(std::uint64_t lines_a_dirty_one);
    /// Forgets everything without writing back.
    void clear();
    [[nodiscard]] std::uint64_t dirty_bytes() const;

private:
    static constexpr std::uint32_t sectors_per_line = 4;
    static constexpr unsigned all_sectors = 0x0f;
    static constexpr unsigned arriving = 0x80;  // in `valid`: some sectors came from memory at `time`

    /// One transfer's walk through the lines.
    struct Access {
        bool fetches;      // what is not there comes from global memory
        bool passes;       // reads that leave L2 as it is
        unsigned brief;    // not 0: it leaves lines behind as old ones
        unsigned dirties;  // mask of the sectors it may make dirty
        std::uint8_t core;
        std::uint32_t window;  // cycles after which another core's use of a line is over
        bool followed;         // of reads past L2: others came to the lines this core read last
        std::uint32_t now;
        std::uint32_t stamp;  // time of last use to leave behind
    };

    /// What L2 knows of one line of global memory; all zero: not in L2. Indexed by line, so that a hit costs
    /// one look and a row of lines lies side by side.
    struct Line {
        std::uint32_t time = 0;    // cycle of last use, modulo 2^32; of an arriving line that of its miss
        std::uint8_t valid = 0;    // sectors present, and `arriving`; 0: the line is not in L2
        std::uint8_t dirty = 0;    // sectors to write back
        std::uint8_t user = 0;     // last core
        std::uint8_t sharers = 0;  // other cores in the current burst of use
    };

    /// A place in a set. `known` is a time of last use the line had once: its real one is the same or later,
    /// so that a hit need not come here and the oldest line of a set is still found in a look or two.
    struct Resident {
        std::uint32_t line_after;  // number of the line + 1; 0: free
        std::uint32_t known;

        [[nodiscard]] std::uint32_t line() const { return line_after - 1; }

        bool operator==(const Resident&) const = default;
    };

    /// Who will likely leave a set.
    struct Likely {
        std::uint32_t set;
        std::uint32_t way;
        Resident victim;  // as it was when the set was looked at
    };

    static constexpr Likely nobody{.set = ~0U, .way = 0, .victim = {.line_after = 0, .known = 0}};

    static constexpr std::uint32_t batch_lines = 32;  // lines asked of the host's memory together

    /// A line whose sectors are not all there, or just arriving.
    struct Other {
        std::uint32_t line;
        std::uint32_t sectors;
        Likely likely;
    };

    struct Batch {
        std::array<Other, batch_lines> others;
        std::size_t count;
        std::uint64_t shared_requests;
    };

    /// The lines and sectors a row of bytes covers.
    struct Row {
        std::uint32_t first_line;
        std::uint32_t lines;
        unsigned head;  // sectors of the first line
        unsigned tail;  // sectors of the last; of the only line both
    };

    [[nodiscard]] Row row_at(std::uint64_t offset, std::uint64_t bytes) const;
    [[nodiscard]] std::uint32_t set_index(std::uint32_t number) const;
    [[nodiscard]] std::span<Resident> set_at(std::uint32_t index);

    /// Rows that cover the same sectors of lines `line_pitch` apart.
    struct Rows {
        Row row;
        std::uint64_t count;
        std::uint32_t line_pitch;
    };

    void settle_hits(const Rows& rows, const Access& access, Batch& batch);
    void touch_other(const Other& other, const Access& access, L2Outcome& outcome);
    void touch_passing(const Other& other, const Access& access, L2Outcome& outcome);
    void walk(const Rows& rows, const Access& access, L2Outcome& outcome);
    void walk_long_row(const Row& row, const Access& access, L2Outcome& outcome);
    void walk_batch(const Rows& rows, const Access& access, L2Outcome& outcome);
    void ask_for_lines(const Rows& rows);
    void look_ahead(std::span<Other> others, std::uint32_t now);
    bool look_for_victim(Likely& likely, std::uint32_t now);
    [[nodiscard]] static std::size_t oldest_of(std::span<const Resident> set, std::uint32_t now);
    [[nodiscard]] L2Outcome around(const isa::Transfer& transfer,
                                   std::uint64_t rows,
                                   std::uint64_t bytes) const;
    void make_room(std::uint32_t number,
                   std::uint32_t now,
                   std::uint32_t stamp,
                   const Likely& likely,
                   L2Outcome& outcome);
    void grow_older(std::uint32_t number, std::uint32_t stamp);
    [[nodiscard]] Access access_of(const isa::Transfer& transfer,
                                   std::uint32_t core,
                                   std::uint32_t now) const;
    [[nodiscard]] bool is_followed(std::uint32_t core, std::uint32_t now, std::uint32_t window) const;

    std::uint64_t line_bytes_;
    std::uint64_t sector_bytes_;
    std::uint32_t sector_shift_;
    std::uint32_t sharing_window_;
    double passing_cycles_per_byte_;
    std::uint32_t fill_cycles_;
    std::array<std::uint32_t, 256>
        last_passed_{};  // of each core: the first line, and one, it last read past L2
    std::uint32_t associativity_;
    std::uint32_t sets_;
    std::uint32_t skew_;  // sets from one wrap's start to the next
    std::uint64_t memory_lines_;
    std::uint32_t warm_time_ = 0;
    LazyArray<Line> lines_;
    LazyArray<Resident> residents_;           // by set and way, in order of arrival, free places last
    std::array<std::uint64_t, 16> bytes_of_;  // by sector bits
};

}  // namespace ascendsim
