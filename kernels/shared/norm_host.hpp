// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "kernels/plan/plan.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {

/// The tiling of a normalisation; what its buffers take is said once, here.
[[nodiscard]] inline RowTiling norm_tiling(
    const Knobs& knobs, const ChipSpec& chip, isa::DataType type, bool centred, std::uint32_t& blocks) {
    const std::uint64_t size = isa::bits(type) / 8;
    RowProblem problem = row_problem(knobs, chip, type);
    problem.local_bytes = 2 * knobs.count("buffers") * size + 8;  // x, y, x in float, its squares
    problem.row_bytes = 64 * 4 + 2 * 4 + 32;          // a short row to reduce in, two values, a spread value
    problem.weight_bytes = size + (centred ? 8 : 4);  // gamma and beta in float, and as they come
    problem.may_chunk = false;
    problem.epsilon = static_cast<float>(knobs.real("epsilon"));
    return row_tiling(chip, problem, knobs, blocks);
}

/// One row normalised in double: `mean` taken off (or not), divided by the root of the mean square.
[[nodiscard]] inline std::vector<double> normalised(const float* x,
                                                    std::size_t width,
                                                    double epsilon,
                                                    bool centred) {
    double mean = 0;
    for (std::size_t i = 0; centred && i < width; ++i) {
        mean += x[i] / static_cast<double>(width);
    }
    std::vector<double> y(width);
    double square = 0;
    for (std::size_t i = 0; i < width; ++i) {
        y[i] = x[i] - mean;
        square += y[i] * y[i] / static_cast<double>(width);
    }
    for (double& value : y) {
        value /= std::sqrt(square + epsilon);
    }
    return y;
}

}  // namespace ascendsim::host
