// SPDX-License-Identifier: Apache-2.0
// The host side of weight_quant_matmul.cpp: what may be chosen, buffers and launch, the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "kernels/host/kernel_host.hpp"
#include "kernels/host/reference_matmul.hpp"
#include "kernels/weight_quant_matmul_tiling.hpp"
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
        return {Knob::integer("m", 16, 1, 1 << 20, "rows", "rows of A and C"),
                Knob::integer("n", 2048, 32, 1 << 24, "columns", "columns of W and C, a multiple of 32"),
                Knob::integer("k", 2048, 1, 1 << 24, "elements", "columns of A, rows of W"),
                Knob::type("dtype", {DataType::half, DataType::bfloat16}, "element type of A and C"),
                Knob::integer("blocks", 0, 0, 1024, "cores", "core groups to use; 0: all of the chip"),
                Knob::integer("base_n", 0, 0, 256, "columns", "columns of a tile; 0: chosen for chip and shape"),
                Knob::integer("slots", 4, 2, 8, "pieces", "widened pieces under way for each core group")};
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        if (!chip.cores.split || chip.cores.aiv_per_aic < 2) {
            throw ascendsim::UserError{
                "weight_quant_matmul: {} has no two vector cores beside each cube core; take a 910B", chip.name};
        }
        const Tiling t = tiling_of(knobs, chip);
        const DataType type = knobs.type("dtype");
        host::Plan plan;
        plan.problem = fmt::format("{} x {} x {} (m, n, k), {} x int8, tile {} x {}",
                                   t.m, t.n, t.k, name(type), t.base_m, t.base_n);
        const std::uint32_t tiles = ceil_div(t.m, t.base_m) * ceil_div(t.n, t.base_n);
        const std::uint32_t blocks = std::min(tiles, core_limit(knobs, chip));
        using host::Buffer;
        plan.buffers = {Buffer::input("a", type, {t.m, t.k}),
                        Buffer::input("w", DataType::int8, {t.k, t.n}, host::fill::Integers{.low = -128, .high = 127}),
                        Buffer::input("scale", DataType::float32, {t.n}, host::fill::Uniform{.low = 0x1p-8, .high = 0x1p-7}),
                        Buffer::input("offset", DataType::float32, {t.n}, host::fill::Integers{.low = -4, .high = 4}),
                        Buffer::output("c", type, {t.m, t.n}),
                        Buffer::workspace("workspace", blocks * workspace_bytes(t))};
        using host::Argument;
        plan.launches.push_back({.entry = type == DataType::half ? "weight_quant_matmul_half"
                                                                 : "weight_quant_matmul_bfloat16",
                                 .blocks = blocks,
                                 .cores = host::CoreUse::mix_1_2,
                                 .arguments = {Argument::address("a"),
                                               Argument::address("w"),
                                               Argument::address("scale"),
                                               Argument::address("offset"),
                                               Argument::address("c"),
                                               Argument::address("workspace"),
                                               Argument::of(t)},
                                 .label = "weight_quant_matmul",
                                 .kernel = {}});
        plan.work.cube_flops = 2.0 * t.m * static_cast<double>(t.n) * t.k;
        plan.work.cube_type = type;
        for (const Buffer& buffer : plan.buffers) {
            plan.work.gm_bytes += buffer.role == host::Role::workspace ? 0 : buffer.bytes();
        }
        add_reference(plan, t, type);
        return plan;
    }

private:
    [[nodiscard]] static std::uint32_t core_limit(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        if (knobs.count("blocks") > chip.cores.aic) {
            throw knobs.error("blocks", fmt::format("{} has {} cube cores", chip.name, chip.cores.aic));
        }
        return knobs.count("blocks") == 0 ? chip.cores.aic : knobs.count("blocks");
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) {
        constexpr std::uint32_t most_rows = 128;
        constexpr std::uint32_t most_columns = 256;
        constexpr std::uint32_t unit = 32;  // bytes of a block of W
        Tiling t{.m = knobs.count("m"), .n = knobs.count("n"), .k = knobs.count("k")};
        if (t.n % unit != 0) {
            throw knobs.error("n", "must be a multiple of 32: rows of W are copied in whole blocks");
        }
        t.base_m = std::min(round_up(t.m, 16U), most_rows);
        t.base_n = knobs.count("base_n");
        if (t.base_n % unit != 0) {
            throw knobs.error("base_n", "must be a multiple of 32");
        }
        if (t.base_n == 0) {
            // One round of tiles is spread over all core groups. Of more, rows of W are whole requests of 128 B, in the width
            // that leaves the busiest group the fewest columns.
            constexpr std::uint32_t request = 128;
            const std::uint32_t cores = core_limit(knobs, chip);
            const std::uint32_t rows = ceil_div(t.m, t.base_m);
            const auto columns = [&](std::uint32_t width) { return ceil_div(rows * ceil_div(t.n, width), cores) * width; };
            const bool once = rows * t.n <= cores * most_columns;
            t.base_n = once                                        ? std::max(round_up(ceil_div(rows * t.n, cores), unit), unit)
                       : columns(request) < columns(most_columns) ? request
                                                                  : most_columns;
        }
        t.depth = 128;
        t.slots = knobs.count("slots");
        return t;
    }

    // Scale and weight are rounded to 16 bits (half a step of 2^-10 each, of bfloat16 2^-7, of at most 132 / 128)
    // before the weight is multiplied; the errors of k products of values below 1 add up as k^1/2. Ten deviations are
    // allowed.
    static void add_reference(host::Plan& plan, const Tiling& t, DataType type) {
        const double step = type == DataType::half ? 0x1p-10 : 0x1p-8;
        plan.tolerances.push_back(
            {.output = "c", .absolute = 10 * step / 3 * std::sqrt(static_cast<double>(t.k)), .relative = 0, .ulp = 1});
        plan.reference = [t](host::ReferenceData& data) {
            const std::vector<float>& scale = data.floats("scale");
            const std::vector<float>& offset = data.floats("offset");
            std::vector<float> w = data.floats("w");
            for (std::size_t i = 0; i < w.size(); ++i) {
                w[i] = (w[i] + offset[i % t.n]) * scale[i % t.n];
            }
            data.expected("c") = host::multiply({.a = data.floats("a"), .b = w, .m = t.m, .n = t.n, .k = t.k});
        };
    }
};

}  // namespace weight_quant
