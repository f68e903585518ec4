// SPDX-License-Identifier: Apache-2.0
// The host side of weight_quant_matmul.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/matmul/weight_quant_matmul/weight_quant_matmul_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/weight_quant_host.hpp"
#include "sim/base/units.hpp"

namespace weight_quant {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::round_up;
using ascendsim::isa::DataType;

class WeightQuantHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "C = A x ((W + offset) * scale) with W of int8, widened by the vector cores for the cube.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("m", 16, 1, 1 << 20, "rows", "rows of A and C"),
            Knob::integer("n", 2048, 1, 1 << 24, "columns", "columns of W and C"),
            Knob::integer("k", 2048, 1, 1 << 24, "elements", "columns of A, rows of W"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type of A and C"),
            Knob::integer("blocks", 0, 0, 1024, "cores", "core groups to use; 0: all of the chip"),
            Knob::integer("base_n", 0, 0, 256, "columns", "columns of a tile; 0: chosen for chip and shape"),
            Knob::integer("slots", 4, 2, 8, "pieces", "widened pieces under way for each core group")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        host::check_two_vector_cores("weight_quant_matmul", chip);
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "blocks", chip);
        const Tiling t = tiling_of(knobs, cores);
        const DataType type = knobs.type("dtype");
        const std::uint32_t tiles = ceil_div(t.m, t.base_m) * ceil_div(t.n, t.base_n);
        const std::uint32_t blocks = std::min(tiles, cores);
        const double step = type == DataType::half ? 0x1p-10 : 0x1p-8;
        host::Plan plan = host::weight_quant_plan(
            {.m = t.m, .n = t.n, .k = t.k, .type = type},
            {.kernel = "weight_quant_matmul",
             .blocks = blocks,
             .workspace_bytes = blocks * workspace_bytes(t),
             .tiling = host::Argument::of(t),
             .cube_type = type,
             // Scale and weight are rounded to 16 bits (half a step of 2^-10 each, of bfloat16 2^-7, of at
             // most 132 / 128) before the weight is multiplied; the errors of k products of values below 1
             // add up as k^1/2. Ten deviations are allowed.
             .absolute = 10 * step / 3 * std::sqrt(static_cast<double>(t.k)),
             .relative = 0});
        plan.problem = fmt::format(
            "{} x {} x {} (m, n, k), {} x int8, tile {} x {}", t.m, t.n, t.k, name(type), t.base_m, t.base_n);
        plan.chosen = {{"base_n", t.base_n}};
        return plan;
    }

private:
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, std::uint32_t cores) {
        constexpr std::uint32_t most_rows = 128;
        constexpr std::uint32_t most_columns = 256;
        constexpr std::uint32_t unit = 32;  // bytes of a block of W
        Tiling t{.m = knobs.count("m"), .n = knobs.count("n"), .k = knobs.count("k")};
        t.base_m = std::min(round_up(t.m, 16U), most_rows);
        t.base_n = knobs.count("base_n");
        if (t.base_n % unit != 0) {
            throw knobs.error("base_n", "must be a multiple of 32");
        }
        if (t.base_n == 0) {
            // One round of tiles is spread over all core groups. Of more, rows of W are whole requests of 128
            // B, in the width that leaves the busiest group the fewest columns; where they start within one,
            // each costs a line of L2 more, and the fewest rows are best.
            constexpr std::uint32_t request = 128;
            const std::uint32_t rows = ceil_div(t.m, t.base_m);
            const auto columns = [&](std::uint32_t width) {
                return ceil_div(rows * ceil_div(t.n, width), cores) * width;
            };
            const bool once = rows * t.n <= cores * most_columns;
            const bool narrow = t.n % request == 0 && columns(request) < columns(most_columns);
            t.base_n = once     ? std::max(round_up(ceil_div(rows * t.n, cores), unit), unit)
                       : narrow ? request
                                : most_columns;
        }
        t.depth = 128;
        t.slots = knobs.count("slots");
        return t;
    }
};

}  // namespace weight_quant
