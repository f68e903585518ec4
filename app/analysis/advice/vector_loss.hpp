// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "app/analysis/chip_numbers.hpp"
#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// What a cycle of the vector unit goes to.
enum class VectorLoss : std::uint8_t {
    none,          // elements of the run's type at the unit's rate
    wide_type,     // wider elements, of which a repeat holds fewer
    form,          // an instruction that takes more than a cycle a repeat
    masks,         // lanes of a repeat that take no part
    mask_changes,  // filling and emptying the unit, which it does before it takes a new mask
    start_up,      // the floor of short instructions
    conflicts,     // blocks of operands in the same bank group
};

inline constexpr std::array<std::string_view, 7> vector_loss_names{"at full rate",
                                                                   "wider type",
                                                                   "slow instructions",
                                                                   "masked lanes",
                                                                   "mask changes",
                                                                   "start-up",
                                                                   "bank conflicts"};

[[nodiscard]] constexpr std::string_view name(VectorLoss loss) {
    return vector_loss_names[static_cast<std::size_t>(loss)];
}

/// The cycles of one vector instruction, which may stand for many of the same name and line, by what they
/// went to.
struct VectorUse {
    std::string instruction;
    std::uint32_t op = 0;
    std::uint32_t site = 0;
    std::uint64_t count = 0;
    std::uint64_t new_masks = 0;  // of these, how many came with one
    std::uint64_t elements = 0;
    double repeats = 0;       // of 256 B, filled or not
    std::uint32_t width = 0;  // B of the widest operand, of most of them
    std::array<double, vector_loss_names.size()> cycles{};

    [[nodiscard]] double operator[](VectorLoss loss) const { return cycles[static_cast<std::size_t>(loss)]; }

    [[nodiscard]] double all() const;
};

/// Everything the vector units did in a window; cycles are summed over cores.
struct VectorUses {
    std::vector<VectorUse> uses;  // by instruction and line, the longest first
    std::array<double, vector_loss_names.size()> cycles{};

    [[nodiscard]] double operator[](VectorLoss loss) const { return cycles[static_cast<std::size_t>(loss)]; }

    [[nodiscard]] double all() const;
};

/// Splits the busy cycles of the vector units from cycle `from` to `to`: each instruction's by the chip's
/// costs, its elements, its conflicts and whether it came with a new mask. The parts of an instruction sum
/// to its cycles. `type` is the element type whose rate counts as full. Empty where the recording holds no
/// chip.
[[nodiscard]] VectorUses vector_uses(const record::Recording& recording,
                                     const ChipNumbers& chip,
                                     std::string_view type,
                                     std::uint64_t from,
                                     std::uint64_t to);

}  // namespace ascendsim::analysis
