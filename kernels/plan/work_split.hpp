// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "kernels/plan/knob.hpp"
#include "models/spec/chip_spec.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"

namespace ascendsim::host {

/// Programs a vector launch can run side by side: vector cores, or whole cores of a coupled chip.
[[nodiscard]] inline std::uint32_t vector_cores(const ChipSpec& chip) {
    return chip.cores.split ? chip.cores.aiv : chip.cores.aic;
}

/// The knob's number of cube cores, or all of the chip's where it is 0. Throws the knob's error for more than
/// there are.
[[nodiscard]] inline std::uint32_t cube_cores_or_all(const Knobs& knobs,
                                                     std::string_view knob,
                                                     const ChipSpec& chip) {
    const std::uint32_t wanted = knobs.count(knob);
    if (wanted > chip.cores.aic) {
        throw knobs.error(knob, fmt::format("{} has {} cube cores", chip.name, chip.cores.aic));
    }
    return wanted == 0 ? chip.cores.aic : wanted;
}

/// Throws a UserError for a chip whose cube cores have no two vector cores beside them each, as `kernel`
/// needs.
inline void check_two_vector_cores(std::string_view kernel, const ChipSpec& chip) {
    if (!chip.cores.split || chip.cores.aiv_per_aic < 2) {
        throw UserError{
            "{}: {} has no two vector cores beside each cube core; take a 910B", kernel, chip.name};
    }
}

/// Cores worth starting for `units` of work of which a core should have at least `least`; 1 for no work.
[[nodiscard]] inline std::uint32_t useful_cores(const ChipSpec& chip,
                                                std::uint64_t units,
                                                std::uint64_t least) {
    const std::uint64_t shares = ceil_div(units, std::max<std::uint64_t>(least, 1));
    return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(shares, 1, std::max(1U, vector_cores(chip))));
}

/// The knob's number of blocks, or the useful number where it is 0.
[[nodiscard]] inline std::uint32_t blocks_or(std::uint32_t knob,
                                             const ChipSpec& chip,
                                             std::uint64_t units,
                                             std::uint64_t least) {
    return knob != 0 ? knob : useful_cores(chip, units, least);
}

/// Elements that fit into `bytes` in whole steps of `step` elements; at least one step.
[[nodiscard]] inline std::uint32_t whole_steps(std::uint64_t bytes,
                                               std::uint64_t element_bytes,
                                               std::uint64_t step) {
    return static_cast<std::uint32_t>(std::max<std::uint64_t>(bytes / element_bytes / step, 1) * step);
}

}  // namespace ascendsim::host
