// SPDX-License-Identifier: Apache-2.0
// Launches of whole-tensor operations for swiglu.cpp: matrix products by matmul.cpp, elementwise ones by its
// own kernels.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/matmul/matmul/matmul_choice.hpp"
#include "kernels/ops/matmul/swiglu/swiglu_tiling.hpp"
#include "kernels/plan/knob.hpp"
#include "kernels/plan/plan.hpp"
#include "sim/base/error.hpp"

namespace swiglu {

namespace host = ascendsim::host;
using ascendsim::ceil_div;

/// What a user may choose about the launches; 0 leaves it open.
struct LaunchKnobs {
    std::uint32_t buffers = 1;
    std::uint32_t base_m = 0;
    std::uint32_t base_n = 0;
    std::uint32_t base_k = 0;
    std::uint32_t step_k = 0;
    std::uint32_t band = 0;
};

/// Throws UserError if a size is no multiple of the cube's blocks.
inline void check_fractals(const host::Knobs& knobs) {
    for (const char* name : {"base_m", "base_n", "base_k"}) {
        if (knobs.count(name) % 16 != 0) {
            throw knobs.error(name, "must be a multiple of 16");
        }
    }
}

[[nodiscard]] inline LaunchKnobs launch_knobs(const host::Knobs& knobs, std::uint32_t buffers) {
    check_fractals(knobs);
    return {.buffers = buffers,
            .base_m = knobs.count("base_m"),
            .base_n = knobs.count("base_n"),
            .base_k = knobs.count("base_k"),
            .step_k = knobs.count("step_k"),
            .band = knobs.count("band")};
}

/// Makes the launches of one plan.
class LaunchList {
public:
    LaunchList(host::Plan& plan, const ascendsim::ChipSpec& chip, const LaunchKnobs& knobs)
        : plan_{plan}, chip_{chip}, knobs_{knobs} {}

    /// c = a x b with matmul.cpp, each operand a whole buffer of fp16.
    void matmul(const std::string& a,
                const std::string& b,
                const std::string& c,
                const matmul::Problem& problem) {
        matmul::Tiling t = tiling_of(problem);
        const std::uint32_t high = std::max(1U, ceil_div(t.m, t.base_m));
        const auto square = static_cast<std::uint32_t>(std::lround(std::sqrt(chip_.cores.aic)));
        t.swizzle = std::min(high, knobs_.band != 0 ? knobs_.band : square);
        const std::uint64_t tiles = std::uint64_t{high} * ceil_div(t.n, t.base_n);
        plan_.launches.push_back(
            {.entry = "matmul_half",
             .blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(tiles, 1, chip_.cores.aic)),
             .cores = ascendsim::CoreUse::aic,
             .arguments = {host::Argument::address(a),
                           host::Argument::address(b),
                           host::Argument::address(c),
                           host::Argument::address(c),  // row ends, of groups only
                           host::Argument::of(t)},
             .label = fmt::format("{} = {} x {}", c, a, b),
             .kernel = "matmul"});
    }

    /// An elementwise kernel over `total` values; `tensors` as its arguments name them.
    void vector(const std::string& entry, const std::vector<std::string>& tensors, std::uint64_t total) {
        const std::uint64_t share = ascendsim::round_up<std::uint64_t>(
            std::max<std::uint64_t>(ceil_div<std::uint64_t>(total, chip_.cores.aiv), 256),
            256);  // 512 B of fp16
        VectorTiling tiling{.total = total, .share = share, .buffers = knobs_.buffers};
        // fp16 in and out of each tensor, fp32 of each input, two of work.
        const auto per_value = static_cast<std::uint32_t>(tensors.size() * (2 * knobs_.buffers + 4) + 8);
        tiling.tile = std::min(chip_.buffers.ub / per_value / 256 * 256, 8192U);
        host::Launch launch{
            .entry = entry,
            .blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, ceil_div(total, share))),
            .cores = ascendsim::CoreUse::aiv,
            .label = entry};
        for (const std::string& tensor : tensors) {
            launch.arguments.push_back(host::Argument::address(tensor));
        }
        launch.arguments.push_back(host::Argument::of(tiling));
        plan_.launches.push_back(std::move(launch));
    }

private:
    /// The tiling of matmul.cpp with what the knobs fix. Throws UserError if nothing fits.
    [[nodiscard]] matmul::Tiling tiling_of(const matmul::Problem& problem) const {
        matmul::Tiling wanted{};
        wanted.m = static_cast<std::uint32_t>(problem.m);
        wanted.n = static_cast<std::uint32_t>(problem.n);
        wanted.k = static_cast<std::uint32_t>(problem.k);
        wanted.split_k = 1;
        wanted.groups = 1;
        wanted.l1_buffers = knobs_.buffers;
        wanted.l0_buffers = knobs_.buffers;
        wanted.base_m = knobs_.base_m;
        wanted.base_n = knobs_.base_n;
        wanted.base_k = knobs_.base_k;
        wanted.step_k = knobs_.step_k;
        wanted.transpose_a = problem.transpose_a ? 1 : 0;
        wanted.transpose_b = problem.transpose_b ? 1 : 0;
        wanted.out = matmul::out_half;
        const std::optional<matmul::Tiling> tiling =
            matmul::TilingChoice{problem, chip_, chip_.cores.aic}.best(wanted);
        if (!tiling) {
            throw ascendsim::UserError{
                "swiglu: no matrix product of {} x {} x {} with kernel.base_m = {}, base_n = {}, base_k = "
                "{}, step_k = {} "
                "and {} buffers fits {}; 0 lets the host choose",
                problem.m,
                problem.n,
                problem.k,
                knobs_.base_m,
                knobs_.base_n,
                knobs_.base_k,
                knobs_.step_k,
                knobs_.buffers,
                chip_.name};
        }
        return *tiling;
    }

    host::Plan& plan_;
    const ascendsim::ChipSpec& chip_;
    LaunchKnobs knobs_;
};

}  // namespace swiglu
