// SPDX-License-Identifier: Apache-2.0
// MTE1 loads of whole fractals (512 B) from L1 to L0A or L0B; rates and latency: hardware.md 6.2.
#pragma once

#include <cstdint>
#include <string>

#include "models/port/core_port.hpp"

namespace ascendsim::isa {

/// Copies `repeat` fractals, `source_stride` apart, to fractals `gap` apart; may transpose 16 x 16 of 16-bit
/// elements.
struct Load2d {
    static constexpr OpInfo info{"load2d",
                                 "Copies fractals from L1 to L0A or L0B, as they are or transposed."};

    Local destination{};       // L0A or L0B
    std::uint32_t source = 0;  // B in L1
    std::uint32_t start = 0;   // fractals
    std::uint32_t repeat = 0;
    std::uint32_t source_stride = 0;  // fractals, from start to start
    std::uint32_t gap = 0;            // fractals, from end to start
    bool transpose = false;
    bool backwards = false;  // address mode 1: each fractal lies before the last one

    [[nodiscard]] bool legal() const {
        return (destination.offset % 512 | source % 32) == 0 && repeat <= 255 && (!backwards || !underruns());
    }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;

private:
    [[nodiscard]] std::uint64_t span() const {
        return std::uint64_t{source_stride} * (repeat == 0 ? 0 : repeat - 1);
    }

    [[nodiscard]] bool underruns() const { return source / 512 + std::uint64_t{start} < span(); }
};

/// Copies square blocks (16 x 16 of 16 bits, 32 x 32 of 8, 16 x 16 of 32, 64 x 64 of 4), each transposed and
/// cut into fractals again.
struct LoadTransposed {
    static constexpr OpInfo info{"load2d_transpose",
                                 "Copies square blocks from L1 to L0A or L0B and transposes them."};

    Local destination{};              // L0A or L0B
    std::uint32_t source = 0;         // B in L1
    std::uint32_t element_bits = 16;  // 4, 8, 16 or 32
    std::uint32_t start = 0;          // blocks
    std::uint32_t repeat = 0;
    std::uint32_t source_stride = 0;  // blocks
    std::uint32_t gap = 0;            // fractals, from the end of a block's first fractal to the next block's
    std::uint32_t fractal_gap = 0;    // fractals, between the fractals of one block

    [[nodiscard]] bool legal() const {
        return (destination.offset % 512 | source % 32) == 0 && repeat <= 255;
    }

    [[nodiscard]] std::string fault() const;
    void accesses(Accesses& list) const;
    void time(const ChipSpec& chip, TimedOp& op) const;
    void execute(CorePort& core) const;

    /// Fractals a block consists of.
    [[nodiscard]] std::uint32_t block_fractals() const {
        return element_bits == 16 ? 1 : element_bits == 4 ? 4 : 2;
    }
};

/// Cycles MTE1 needs to put `bytes` into `memory` (L0A or L0B).
[[nodiscard]] std::uint32_t l0_load_cycles(const Mte1Spec& mte1, Memory memory, std::uint64_t bytes);

inline Instructions load2d_instructions() {
    return {&Load2d::info, &LoadTransposed::info};
}

}  // namespace ascendsim::isa
