// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/core/ai_core.hpp"
#include "models/port/core_use.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim {

/// The places of a chip that take one block each of a launch: a core, or a cube core with its vector cores.
/// A chip whose cores are not split has one kind, with both units: they are coupled.
class LaunchCrew {
public:
    LaunchCrew(const ChipSpec& chip, CoreUse kind)
        : coupled_{!chip.cores.split},
          cube_{!coupled_ && kind != CoreUse::aiv},
          vector_{coupled_ || kind != CoreUse::aic},
          ratio_{kind == CoreUse::mix_1_2 ? 2U : 1U},
          places_{coupled_ || cube_ ? chip.cores.aic : chip.cores.aiv},
          vectors_{chip.cores.aiv},
          vectors_per_cube_{chip.cores.aiv_per_aic == 0 ? 1 : chip.cores.aiv_per_aic} {}

    /// As many blocks run at a time on an idle chip.
    [[nodiscard]] std::uint32_t places() const { return places_; }

    /// The cores of place `number`, cube core first.
    [[nodiscard]] std::vector<AiCore::Place> cores(std::uint32_t number) const {
        std::vector<AiCore::Place> result;
        if (coupled_ || cube_) {
            result.push_back(
                {.index = number, .group = number, .kind = coupled_ ? CoreKind::coupled : CoreKind::aic});
        }
        if (!coupled_ && vector_) {
            const std::uint32_t first = cube_ ? number * vectors_per_cube_ : number;
            const std::uint32_t end = std::min(first + (cube_ ? ratio_ : 1U), vectors_);
            for (std::uint32_t index = first; index < end; ++index) {
                result.push_back({.index = index, .group = index / vectors_per_cube_, .kind = CoreKind::aiv});
            }
        }
        return result;
    }

    /// Of a vector core: its number in its group.
    [[nodiscard]] std::uint32_t sub_of(const AiCore::Place& core) const {
        return core.kind == CoreKind::aiv ? core.index % vectors_per_cube_ : 0;
    }

    /// True if a core of this kind runs the program of vector cores.
    [[nodiscard]] bool runs_vector_program(const AiCore::Place& core) const {
        return core.kind == CoreKind::aiv || coupled_;
    }

    /// What `core` runs of `blocks` blocks, in order, in place `number`.
    [[nodiscard]] std::deque<isa::CoreIdentity> blocks_of(const AiCore::Place& core,
                                                          std::uint32_t number,
                                                          std::uint32_t blocks) const {
        const bool mixed = cube_ && vector_;
        const bool beside_cube = mixed && core.kind == CoreKind::aiv;
        const std::uint32_t sub = sub_of(core);
        std::deque<isa::CoreIdentity> result;
        for (std::uint32_t block = number; block < blocks; block += places_) {
            result.push_back({.core = core.index,
                              .block = beside_cube ? block * ratio_ + sub : block,
                              .block_count = blocks,
                              .sub_block = beside_cube ? sub : 0,
                              .sub_blocks = mixed ? ratio_ : 1,
                              .task_ratio = mixed ? ratio_ : 1,
                              .kind = core.kind});
        }
        return result;
    }

private:
    bool coupled_;
    bool cube_;            // cube cores of a split chip take part
    bool vector_;          // vector cores, or coupled ones
    std::uint32_t ratio_;  // vector cores of a group that take part where cube cores do, too
    std::uint32_t places_;
    std::uint32_t vectors_;
    std::uint32_t vectors_per_cube_;
};

}  // namespace ascendsim
