// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/spec/chip_spec.hpp"
#include "networks/loops/loops.hpp"
#include "networks/loops/schedule.hpp"
#include "networks/loops/space.hpp"

namespace ascendsim::networks::loops {

/// A field of the tiling struct that a kernel is launched with.
struct Field {
    std::string name;
    std::uint32_t value = 0;
    bool is_float = false;  // `value` holds its bits
    std::string meaning;
};

/// The sizes of a loop on a chip.
struct Tiling {
    std::uint32_t blocks = 1;
    std::uint32_t tile = 1;   // rows
    std::uint32_t chunk = 1;  // columns
    std::uint32_t pitch = 8;  // elements from row to row in the unified buffer
    std::vector<Field> fields;

    [[nodiscard]] std::uint32_t field(std::string_view name) const;
};

/// What the tiling depends on.
struct TilingProblem {
    const Loop& loop;
    const Space& space;
    const Program& program;
    const Schedule& schedule;
    const ChipSpec& chip;
    TilingChoice choice{};
};

/// Choices besides the problem's own that fit.
[[nodiscard]] std::vector<TilingChoice> choices_beside(const TilingProblem& problem);

/// Tiles and shares of cores. Throws CannotGenerate if a tile of one row does not fit.
[[nodiscard]] Tiling tile(const TilingProblem& problem);

/// True if all that a reduction takes together fits into one tile; tried with the schedule for that.
[[nodiscard]] bool fits_whole(const TilingProblem& problem);

}  // namespace ascendsim::networks::loops
