// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "kernels/plan/knob.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/row_kernel.h"

namespace ascendsim::host {

/// The knobs of every kernel that works row by row.
[[nodiscard]] inline std::vector<Knob> row_knobs(Shape shape) {
    return {
        Knob::shape("shape", std::move(shape), "extents of x and y; rows run along the last"),
        Knob::type("dtype",
                   {isa::DataType::half, isa::DataType::bfloat16, isa::DataType::float32},
                   "element type of x and y; the arithmetic is in float32"),
        Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
        Knob::integer("tile", 0, 0, 255, "rows", "rows in a buffer; 0: what fits"),
        Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
    };
}

/// What is to be done, and what it takes in the unified buffer.
struct RowProblem {
    std::uint64_t rows = 0;
    std::uint64_t width = 0;
    std::uint64_t element_bytes = 2;
    std::uint64_t local_bytes = 12;  // for each element of a tile, all buffers together
    std::uint64_t row_bytes = 320;   // for each row of a tile
    std::uint64_t weight_bytes = 0;  // for each element of a row, once: weights
    bool may_chunk = true;           // the kernel can take a row in chunks
    float epsilon = 0;
};

/// Rows and width of the knob "shape". Throws its error for a scalar, and for rows an older chip cannot copy.
[[nodiscard]] inline RowProblem row_problem(const Knobs& knobs, const ChipSpec& chip, isa::DataType type) {
    const Shape& shape = knobs.shape("shape");
    if (shape.empty()) {
        throw knobs.error("shape", "needs at least one extent");
    }
    const std::uint64_t size = isa::bits(type) / 8;
    RowProblem problem{.width = shape.back(), .element_bytes = size};
    problem.rows = problem.width == 0 ? 0 : elements(shape) / problem.width;
    if (problem.width > std::numeric_limits<std::uint32_t>::max() / 8) {
        throw knobs.error("shape", "rows of more than 2^29 elements are not taken");
    }
    if (chip.arch != "2201" && problem.width * size % 32 != 0) {
        throw knobs.error(
            "shape",
            fmt::format("{} copies whole blocks of 32 B only: rows must be a multiple of {} elements",
                        chip.name,
                        32 / size));
    }
    return problem;
}

/// Elements of a row that can be worked on at a time where a whole row does not fit.
[[nodiscard]] inline std::uint32_t row_chunk(const ChipSpec& chip, const RowProblem& problem) {
    constexpr std::uint64_t state_bytes = 2048;
    return whole_steps(chip.buffers.ub - state_bytes, problem.local_bytes, 512 / problem.element_bytes);
}

/// Tiles a row kernel: whole rows while one fits, chunks of a row otherwise. `blocks` is how many cores it
/// starts.
[[nodiscard]] inline RowTiling row_tiling(const ChipSpec& chip,
                                          const RowProblem& problem,
                                          const Knobs& knobs,
                                          std::uint32_t& blocks,
                                          std::string_view forced = {}) {
    constexpr std::uint64_t least_share_bytes = 8192;  // below, a further core costs more than it saves
    constexpr std::uint64_t reserve = 1024;
    RowTiling tiling{.rows = problem.rows,
                     .width = static_cast<std::uint32_t>(problem.width),
                     .pitch = static_cast<std::uint32_t>(round_up(problem.width, 32 / problem.element_bytes)),
                     .buffers = knobs.count("buffers"),
                     .epsilon = problem.epsilon};
    const std::uint64_t row_bytes = std::max<std::uint64_t>(problem.width * problem.element_bytes, 1);
    blocks = blocks_or(knobs.count("blocks"), chip, problem.rows, ceil_div(least_share_bytes, row_bytes));
    tiling.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(problem.rows, blocks), 1);
    const std::uint64_t weights = round_up(problem.width, std::uint64_t{64}) * problem.weight_bytes;
    const std::uint64_t room = chip.buffers.ub > weights + reserve ? chip.buffers.ub - weights - reserve : 0;
    const std::uint64_t each = tiling.pitch * problem.local_bytes + problem.row_bytes;
    const std::uint64_t fits = room / std::max<std::uint64_t>(each, 1);
    const std::uint64_t for_overlap = ceil_div<std::uint64_t>(tiling.share, 4);
    const std::uint64_t worth = std::max(for_overlap, ceil_div(least_share_bytes, row_bytes));
    const std::uint64_t groups = fits >= 16 ? fits / 8 * 8 : fits;
    tiling.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(groups, worth), 1, 248));
    tiling.schedule = fits == 0 || forced == "online" ? 1 : 0;
    tiling.chunk = row_chunk(chip, problem);
    if (const std::uint32_t wanted = knobs.count("tile"); wanted != 0) {
        if (wanted > fits) {
            throw knobs.error(
                "tile", fmt::format("{} rows of {} elements fit the unified buffer", fits, problem.width));
        }
        tiling.tile = wanted;
    }
    if ((forced == "rows" && fits == 0) || (tiling.schedule == 1 && !problem.may_chunk)) {
        throw knobs.error("shape",
                          fmt::format("a row of {} elements does not fit the unified buffer of {} B",
                                      problem.width,
                                      chip.buffers.ub));
    }
    return tiling;
}

}  // namespace ascendsim::host
