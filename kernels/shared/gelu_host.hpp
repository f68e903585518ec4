// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kernels/plan/flat_split.hpp"
#include "kernels/plan/knob.hpp"
#include "kernels/shared/gelu.h"

namespace ascendsim::host {

/// What GELU is to be run on.
struct GeluProblem {
    std::uint64_t total = 0;
    isa::DataType in = isa::DataType::half;
    isa::DataType out = isa::DataType::half;
    bool erf = false;
    std::uint32_t buffers = 2;
    std::uint32_t blocks = 0;
    std::uint32_t tile = 0;
};

/// Bytes of the unified buffer that an element of a tile takes.
[[nodiscard]] inline std::uint64_t gelu_local_bytes(const GeluProblem& problem) {
    const std::uint64_t in = isa::bits(problem.in) / 8;
    const std::uint64_t out = isa::bits(problem.out) / 8;
    return problem.buffers * (in + out) + (in == 4 ? 0 : 4) + (problem.erf ? 16 : 4);
}

/// Tiles GELU for a chip; `blocks` is how many cores it starts. Throws the error of knob "tile" if it does
/// not fit.
[[nodiscard]] inline GeluTiling gelu_tiling(const ChipSpec& chip,
                                            const GeluProblem& problem,
                                            const Knobs& knobs,
                                            std::uint32_t& blocks) {
    constexpr std::uint32_t bank_offset = 256;  // half a round of the 16 bank groups
    const std::uint64_t narrowest = std::min(isa::bits(problem.in), isa::bits(problem.out)) / 8;
    const FlatNeed need{.total = problem.total,
                        .element_bytes = narrowest,
                        .local_bytes = gelu_local_bytes(problem),
                        .fixed_bytes = 6 * bank_offset,
                        .blocks = problem.blocks,
                        .tile = problem.tile};
    const std::uint32_t largest = largest_tile(chip, need);
    if (problem.tile > largest || problem.tile * narrowest % 64 != 0) {
        throw knobs.error(
            "tile",
            fmt::format("must be a multiple of {} elements (64 B), up to {} for the unified buffer of {} B",
                        64 / narrowest,
                        largest,
                        chip.buffers.ub));
    }
    const FlatSplit split = split_flat(chip, need);
    blocks = split.blocks;
    return {.total = problem.total,
            .share = split.share,
            .tile = split.tile,
            .buffers = problem.buffers,
            .erf = problem.erf ? 1U : 0U,
            .spacer = bank_offset};
}

/// GELU in double.
[[nodiscard]] inline double gelu_of(double x, bool erf) {
    if (erf) {
        return 0.5 * x * std::erfc(-x / std::numbers::sqrt2);
    }
    const double inner = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
    return x / (1.0 + std::exp(-2.0 * inner));
}

/// Elementary operations on an element: what either form needs at the least.
[[nodiscard]] inline double gelu_operations(bool erf) {
    return erf ? 22 : 7;
}

}  // namespace ascendsim::host
