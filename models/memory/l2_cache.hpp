// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/timed_op.hpp"
#include "models/spec/memory_spec.hpp"

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
    /// Forgets everything without writing back.
    void clear();
    [[nodiscard]] std::uint64_t dirty_bytes() const;

private:
    struct Way {
        std::uint32_t line = empty;
        std::uint8_t valid = 0;    // sectors
        std::uint8_t dirty = 0;    // sectors
        std::uint8_t user = 0;     // last core
        std::uint8_t sharers = 0;  // other cores in the current burst of use
        std::uint32_t stamp = 0;   // order of use
        std::uint32_t time = 0;    // cycle of last use, modulo 2^32
    };

    static constexpr std::uint32_t empty = 0xffffffffU;

    void touch(std::uint32_t line,
               std::uint8_t sectors,
               const isa::Transfer& transfer,
               std::uint32_t core,
               std::uint64_t now,
               L2Outcome& outcome);
    void walk_row(std::uint64_t offset,
                  std::uint64_t bytes,
                  const isa::Transfer& transfer,
                  std::uint32_t core,
                  std::uint64_t now,
                  L2Outcome& outcome);
    Way& find_or_evict(std::uint32_t line, L2Outcome& outcome);

    [[nodiscard]] Way* set_of(std::uint32_t line) { return &ways_[(line % sets_) * associativity_]; }

    std::uint64_t line_bytes_;
    std::uint64_t sector_bytes_;
    std::uint32_t sharing_window_;
    std::uint32_t associativity_;
    std::uint32_t sets_;
    std::uint32_t clock_ = 0;
    std::vector<Way> ways_;
};

}  // namespace ascendsim
