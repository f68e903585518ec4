// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/isa/timed_op.hpp"
#include "models/spec/memory_spec.hpp"
#include "sim/base/lazy_array.hpp"

namespace ascendsim {

/// What a transfer met in L2. Bytes are of whole sectors (a quarter of a line).
struct L2Outcome {
    std::uint64_t hit_bytes = 0;
    std::uint64_t miss_bytes = 0;       // fetched from global memory
    std::uint64_t written_back = 0;     // dirty sectors evicted to make room
    std::uint64_t bypassed_bytes = 0;   // written around L2
    std::uint64_t shared_requests = 0;  // sum over lines of the other cores found using the line just now
};

/// The shared L2's contents: set associative, least recently used, write back, four sectors a line. Which set
/// an address goes to, associativity and replacement are not published; these are the plain choices.
class L2Cache {
public:
    L2Cache(const L2Spec& spec, std::uint64_t memory_bytes);

    /// Walks the lines of `transfer` at time `now` (cycles) for `core`, and updates the contents.
    L2Outcome access(const isa::Transfer& transfer, std::uint32_t core, std::uint64_t now);
    /// Puts a range's lines in, clean, as an earlier run would have left them.
    void warm(std::uint64_t offset, std::uint64_t bytes);
    /// Fills it with lines of the end of memory, one in four dirty, as other kernels would have left them.
    void use();
    /// Forgets everything without writing back.
    void clear();
    [[nodiscard]] std::uint64_t dirty_bytes() const;

private:
    /// One transfer's walk through the lines.
    struct Access {
        bool fetches;            // what is not there comes from global memory
        unsigned dirties;        // mask of the sectors it may make dirty
        std::uint8_t core;
        std::uint32_t now;
        std::uint32_t stamp;     // time of last use to leave behind
    };

    /// What L2 knows of one line of global memory; all zero: not in L2. Indexed by line, so that a hit costs one look
    /// and a row of lines lies side by side.
    struct Line {
        std::uint32_t time = 0;    // cycle of last use, modulo 2^32
        std::uint8_t valid = 0;    // sectors present; 0: the line is not in L2
        std::uint8_t dirty = 0;    // sectors to write back
        std::uint8_t user = 0;     // last core
        std::uint8_t sharers = 0;  // other cores in the current burst of use
    };
    static constexpr std::uint32_t empty = 0xffffffffU;

    void touch(std::uint32_t number, unsigned sectors, const Access& access, L2Outcome& outcome);
    void walk_row(std::uint64_t offset, std::uint64_t bytes, const Access& access, L2Outcome& outcome);
    [[nodiscard]] std::uint32_t set_index(std::uint32_t number) const;
    void make_room(std::uint32_t number, std::uint32_t now, L2Outcome& outcome);

    std::uint64_t line_bytes_;
    std::uint64_t sector_bytes_;
    std::uint32_t sector_shift_;
    std::uint32_t sharing_window_;
    std::uint32_t associativity_;
    std::uint32_t sets_;
    std::uint32_t skew_;  // sets from one wrap's start to the next
    std::uint64_t memory_lines_;
    std::uint32_t warm_time_ = 0;
    LazyArray<Line> lines_;
    std::vector<std::uint32_t> residents_;  // by set and way: the line there, or empty
    std::array<std::uint64_t, 16> bytes_of_;  // by sector bits
};

}  // namespace ascendsim
