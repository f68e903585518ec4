// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "networks/loops/program.hpp"
#include "networks/loops/space.hpp"

namespace ascendsim::networks::loops {

/// Kinds of places in the unified buffer that a value of the program may have.
enum class Kind : std::uint8_t {
    tile,    // (rows, pitch) elements of 4 bytes
    row,     // (pitch)
    column,  // one element for each row
    blocks,  // the same, each filling a block of 8
    number,  // one element, filling 64
    fold,    // a seventh of a tile: what is left of rows that are reduced
    input,   // as it was copied in, in the queue's buffer
    output   // in the buffer that is copied out
};

inline constexpr std::size_t slot_kinds = 6;

struct Place {
    Kind kind = Kind::tile;
    std::size_t index = 0;

    auto operator<=>(const Place&) const = default;
};

/// A run of instructions of the kernel, between two copies.
struct Body {
    std::vector<std::size_t> nodes;
    std::map<std::size_t, Place> scratch;  // of reductions of rows
    std::map<std::size_t, Place> folds;    // of reductions
    std::map<std::size_t, Place> places;   // of values made here
    std::map<std::size_t, Place> partial;  // of reductions: what a tile adds
    std::vector<std::size_t> reads;        // accesses copied in for it, tile by tile
    std::vector<std::size_t> writes;       // outputs copied out behind it
};

/// What happens when: bodies, and where their values lie.
struct Schedule {
    bool chunked = false;                 // reductions take several tiles
    std::vector<std::size_t> held;        // loads that outlast a tile, with their conversions
    Body start;                           // of a unit of a chunked kernel: what reductions do not touch
    std::vector<Body> passes;             // a chunked kernel's reductions, one pass for each phase
    std::vector<Body> between;            // behind each pass
    Body last;                            // what makes the outputs
    Body finish;                          // of a chunked kernel: outputs that have no reduced axis
    std::map<std::size_t, Place> pinned;  // values that outlast a body
    std::array<std::size_t, slot_kinds> slots{};  // of each kind

    [[nodiscard]] Place place(const Body& body, std::size_t node) const;
    [[nodiscard]] std::vector<const Body*> bodies() const;
};

/// Orders a program's instructions, and gives every value a place; places are used again as soon as their
/// value is no longer needed.
[[nodiscard]] Schedule schedule(const Program& program, const Space& space, bool chunked);

}  // namespace ascendsim::networks::loops
