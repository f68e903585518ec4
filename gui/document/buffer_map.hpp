// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// A time in which a part of a memory was held, or worked on by one instruction.
struct BufferStretch {
    std::uint64_t from = 0;  ///< cycle
    std::uint64_t to = 0;
    std::uint64_t index = 0;  ///< of the instruction in its lane, or the source place of a held buffer
};

/// A part of a memory and what happened to it, in order of time.
struct BufferSlot {
    std::uint32_t offset = 0;  ///< B
    std::uint32_t bytes = 0;
    std::string name;        ///< "VECIN ping"; empty for instructions
    std::string pipe;        ///< who has it; empty if the whole program
    std::uint32_t lane = 0;  ///< of instructions
    std::vector<BufferStretch> stretches;
    /// For each stretch, and one behind the last: where it adds to those before it, and the cycles these
    /// cover. Of stretches at the same time each cycle counts once.
    std::vector<std::pair<std::uint64_t, std::uint64_t>> covers;

    /// Makes `covers` of the stretches, which are in the order in which they begin.
    void add_up();
    /// The first stretch that begins at `cycle` or later, if those before number `known` begin earlier.
    [[nodiscard]] std::size_t first_from(double cycle, std::size_t known = 0) const;
    /// Cycles before `cycle` in which there was a stretch; `behind` is first_from(cycle).
    [[nodiscard]] double covered_before(double cycle, std::size_t behind) const;
};

/// One memory of one core: who lives in it and who works on it.
struct MemoryMap {
    std::size_t memory = 0;
    std::uint64_t size = 0;   ///< B, as the chip says; 0 if it does not
    std::uint64_t reach = 0;  ///< B, the end of the highest part that was held or written
    std::uint64_t peak = 0;   ///< B held at once, at most; 0 if the kernel's framework held nothing
    std::vector<BufferSlot> held;
    std::vector<BufferSlot> worked;

    [[nodiscard]] bool overflows() const { return size > 0 && reach > size; }

    /// What a picture shows, B: the memory, but not much more of it than was ever used.
    [[nodiscard]] std::uint64_t shown() const;
};

/// Follows the recorded lives of buffers, and the instructions, through UB, L1, L0A, L0B and L0C of a core.
/// Parts that alternate get names: ping, pong, or a number. Memories without any use are left out.
[[nodiscard]] std::vector<MemoryMap> buffer_map_of(const Run& run, const CoreLanes& core);

/// The first instruction that worked on a part of a memory in a stretch of time.
[[nodiscard]] std::optional<Pick> first_use(const Run& run,
                                            const MemoryMap& map,
                                            const BufferSlot& slot,
                                            const BufferStretch& stretch);

}  // namespace ascendsim::gui
