// SPDX-License-Identifier: Apache-2.0
// The host side of weight_quant_few_rows.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kernels/host/kernel_host.hpp"
#include "kernels/host/reference_matmul.hpp"
#include "kernels/weight_quant_few_rows_tiling.hpp"
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
        if (!chip.cores.split || chip.cores.aiv_per_aic < 2) {
            throw ascendsim::UserError{
                "weight_quant_few_rows: {} has no two vector cores beside each cube core; take a 910B",
                chip.name};
        }
        Tiling t{.m = knobs.count("m"), .n = knobs.count("n"), .k = knobs.count("k")};
        for (const char* const name : {"n", "k"}) {
            if (knobs.count(name) % 32 != 0) {
                throw knobs.error(name, "must be a multiple of 32: a block of int8");
            }
        }
        if (knobs.count("blocks") > chip.cores.aic) {
            throw knobs.error("blocks", fmt::format("{} has {} cube cores", chip.name, chip.cores.aic));
        }
        const std::uint32_t cores = knobs.count("blocks") == 0 ? chip.cores.aic : knobs.count("blocks");
        // Whole base blocks, in the fewest each that leave no core more (ops-nn,
        // weight_quant_batch_matmul_v2_tiling_msd.cpp).
        t.strip = std::max(round_up(t.n / cores, base_n), base_n);
        while (ceil_div(t.n, t.strip) > cores) {
            t.strip += base_n;
        }
        t.strips = ceil_div(t.n, t.strip);
        t.l1_buffers = knobs.count("l1_buffers");
        const std::uint32_t blocks = std::min(cores, std::max(t.strips, ceil_div(t.m, 2U)));
        const DataType type = knobs.type("dtype");
        host::Plan plan;
        plan.problem = fmt::format("{} x {} x {} (m, n, k), {} x int8, {} strips of {}",
                                   t.m,
                                   t.n,
                                   t.k,
                                   name(type),
                                   t.strips,
                                   t.strip);
        using host::Buffer;
        plan.buffers = {
            Buffer::input("a", type, {t.m, t.k}),
            Buffer::input("w", DataType::int8, {t.k, t.n}, host::fill::Integers{.low = -128, .high = 127}),
            Buffer::input(
                "scale", DataType::float32, {t.n}, host::fill::Uniform{.low = 0x1p-8, .high = 0x1p-7}),
            Buffer::input("offset", DataType::float32, {t.n}, host::fill::Integers{.low = -4, .high = 4}),
            Buffer::output("c", type, {t.m, t.n}),
            Buffer::workspace("workspace", workspace_bytes(t))};
        using host::Argument;
        plan.launches.push_back({.entry = type == DataType::half ? "weight_quant_few_rows_half"
                                                                 : "weight_quant_few_rows_bfloat16",
                                 .blocks = blocks,
                                 .cores = host::CoreUse::mix_1_2,
                                 .arguments = {Argument::address("a"),
                                               Argument::address("w"),
                                               Argument::address("scale"),
                                               Argument::address("offset"),
                                               Argument::address("c"),
                                               Argument::address("workspace"),
                                               Argument::of(t)},
                                 .label = "weight_quant_few_rows",
                                 .kernel = {}});
        plan.work.cube_flops = 2.0 * t.m * static_cast<double>(t.n) * t.k;
        plan.work.cube_type = DataType::int8;
        for (const Buffer& buffer : plan.buffers) {
            plan.work.gm_bytes += buffer.role == host::Role::workspace ? 0 : buffer.bytes();
        }
        add_reference(plan, t);
        return plan;
    }

private:
    // A value of A, below 1, keeps what its two parts leave, half a second step or 2^-16; times weights of at
    // most 132 / 128, k of which add up as k^1/2. Ten deviations are allowed.
    static void add_reference(host::Plan& plan, const Tiling& t) {
        plan.tolerances.push_back({.output = "c",
                                   .absolute = 10 * 0x1p-16 * std::sqrt(static_cast<double>(t.k)),
                                   .relative = 0x1p-18,
                                   .ulp = 1});
        plan.reference = [t](host::ReferenceData& data) {
            const std::vector<float>& scale = data.floats("scale");
            const std::vector<float>& offset = data.floats("offset");
            std::vector<float> w = data.floats("w");
            for (std::size_t i = 0; i < w.size(); ++i) {
                w[i] = (w[i] + offset[i % t.n]) * scale[i % t.n];
            }
            data.expected("c") =
                host::multiply({.a = data.floats("a"), .b = w, .m = t.m, .n = t.n, .k = t.k});
        };
    }
};

}  // namespace few_rows
