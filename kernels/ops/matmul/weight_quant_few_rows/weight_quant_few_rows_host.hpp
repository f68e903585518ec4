// SPDX-License-Identifier: Apache-2.0
// The host side of weight_quant_few_rows.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/matmul/weight_quant_few_rows/weight_quant_few_rows_tiling.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/weight_quant_host.hpp"
#include "sim/base/units.hpp"

namespace few_rows {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::round_up;
using ascendsim::isa::DataType;

class FewRowsHost final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "C = A x ((W + offset) * scale) for few rows, A split into two int8 parts for W of int8.";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::integer("m", 4, 1, most_rows, "rows", "rows of A and C"),
            Knob::integer("n", 2048, 32, 1 << 24, "columns", "columns of W and C, a multiple of 32"),
            Knob::integer("k", 2048, 32, most_depth, "elements", "columns of A, rows of W, a multiple of 32"),
            Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type of A and C"),
            Knob::integer("l1_buffers", 1, 1, 2, "buffers", "chunks of A and W in L1"),
            Knob::integer("blocks", 0, 0, 1024, "cores", "core groups to use; 0: all of the chip")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        host::check_two_vector_cores("weight_quant_few_rows", chip);
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "blocks", chip);
        const Tiling t = tiling_of(knobs, cores);
        const DataType type = knobs.type("dtype");
        host::Plan plan = host::weight_quant_plan(
            {.m = t.m, .n = t.n, .k = t.k, .type = type},
            {.kernel = "weight_quant_few_rows",
             .blocks = std::min(cores, std::max(t.strips, ceil_div(t.m, 2U))),
             .workspace_bytes = workspace_bytes(t),
             .tiling = host::Argument::of(t),
             .cube_type = DataType::int8,
             // A value of A, below 1, keeps what its two parts leave, half a second step or 2^-16; times
             // weights of at most 132 / 128, k of which add up as k^1/2. Ten deviations are allowed.
             .absolute = 10 * 0x1p-16 * std::sqrt(static_cast<double>(t.k)),
             .relative = 0x1p-18});
        plan.problem = fmt::format("{} x {} x {} (m, n, k), {} x int8, {} strips of {}",
                                   t.m,
                                   t.n,
                                   t.k,
                                   name(type),
                                   t.strips,
                                   t.strip);
        return plan;
    }

private:
    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, std::uint32_t cores) {
        Tiling t{.m = knobs.count("m"), .n = knobs.count("n"), .k = knobs.count("k")};
        for (const char* const name : {"n", "k"}) {
            if (knobs.count(name) % 32 != 0) {
                throw knobs.error(name, "must be a multiple of 32: a block of int8");
            }
        }
        // Whole base blocks, in the fewest each that leave no core more (ops-nn,
        // weight_quant_batch_matmul_v2_tiling_msd.cpp).
        t.strip = std::max(round_up(t.n / cores, base_n), base_n);
        while (ceil_div(t.n, t.strip) > cores) {
            t.strip += base_n;
        }
        t.strips = ceil_div(t.n, t.strip);
        t.l1_buffers = knobs.count("l1_buffers");
        return t;
    }
};

}  // namespace few_rows
