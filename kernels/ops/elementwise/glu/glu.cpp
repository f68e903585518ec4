// SPDX-License-Identifier: Apache-2.0
// Gated linear units of tensors whose halves along an axis are gate and value: SwiGLU, GeGLU, and both
// between the dequantisation of an int8 product and the quantisation for the next one.
#include "kernels/ops/elementwise/glu/glu.h"

#include "kernels/ops/elementwise/glu/glu_blocks.h"
#include "kernels/ops/elementwise/glu/glu_quant.h"

template <typename T>
__aicore__ inline void RunGlu(const GluAddresses& gm, const GluTiling& tiling) {
    if constexpr (!std::is_same_v<T, int32_t>) {
        if (tiling.blocks != 0) {
            GluBlocks<T>(gm.x, gm.y, tiling).Process();
            return;
        }
    }
    if constexpr (!std::is_same_v<T, float>) {
        if (tiling.library != 0) {
            GluQuant<T>(gm, tiling).Process();
            return;
        }
    }
    Glu<T>(gm, tiling).Process();
}

extern "C" __global__ __aicore__ void glu_float16(GM_ADDR x,
                                                  GM_ADDR weight_scale,
                                                  GM_ADDR row_scale,
                                                  GM_ADDR smooth,
                                                  GM_ADDR y,
                                                  GM_ADDR scale,
                                                  GluTiling tiling) {
    RunGlu<half>({x, weight_scale, row_scale, smooth, y, scale}, tiling);
}

extern "C" __global__ __aicore__ void glu_bfloat16(GM_ADDR x,
                                                   GM_ADDR weight_scale,
                                                   GM_ADDR row_scale,
                                                   GM_ADDR smooth,
                                                   GM_ADDR y,
                                                   GM_ADDR scale,
                                                   GluTiling tiling) {
    RunGlu<bfloat16_t>({x, weight_scale, row_scale, smooth, y, scale}, tiling);
}

extern "C" __global__ __aicore__ void glu_float32(GM_ADDR x,
                                                  GM_ADDR weight_scale,
                                                  GM_ADDR row_scale,
                                                  GM_ADDR smooth,
                                                  GM_ADDR y,
                                                  GM_ADDR scale,
                                                  GluTiling tiling) {
    RunGlu<float>({x, weight_scale, row_scale, smooth, y, scale}, tiling);
}

extern "C" __global__ __aicore__ void glu_int32(GM_ADDR x,
                                                GM_ADDR weight_scale,
                                                GM_ADDR row_scale,
                                                GM_ADDR smooth,
                                                GM_ADDR y,
                                                GM_ADDR scale,
                                                GluTiling tiling) {
    RunGlu<int32_t>({x, weight_scale, row_scale, smooth, y, scale}, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/elementwise/glu/glu_tiles.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/axis_split.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/gelu_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class GluHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = act(a) * b of the halves a, b of x along an axis";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {4096, 8192}, "extents of x"),
            Knob::integer("axis", -1, -16, 15, "", "the axis that is halved; negative: from the end"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32, DataType::int32},
                       "element type of x; int32: an int8 product, scaled by column and row first"),
            Knob::word("gate", {"silu", "gelu"}, "the activation"),
            Knob::flag("quant", false, "y is int8 by the largest magnitude of its row; always of int32"),
            Knob::flag("smooth", false, "a row of factors before the quantisation"),
            Knob::flag("swap", false, "the second half is the gate"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: as many as are worth starting"),
            Knob::integer("buffers", 2, 1, 2, "", "buffers of x and y; 2 overlaps copies and arithmetic"),
            Knob::word("schedule",
                       {"rows", "library"},
                       "rows: as many whole rows as pay; library: as the operator library's kernels"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        std::uint32_t blocks = 1;
        const GluTiling t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.problem = fmt::format("GLU {} {}", text(knobs.shape("shape")), isa::name(type));
        std::vector<Argument> arguments = add_buffers(plan, knobs, t, type);
        plan.launches = {{.entry = fmt::format("glu_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv,
                          .arguments = std::move(arguments)}};
        plan.work = {.vector_flops = 6.0 * static_cast<double>(t.rows * t.width),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t, product = type == DataType::int32](ReferenceData& data) {
            expect(data, t, product);
        };
        // Next to a half, rounding to whole numbers may go either way.
        plan.tolerances = {t.quant != 0 ? Tolerance{.output = "y", .absolute = 1}
                                        : rounded_once("y", type, 1e-5)};
        if (t.quant != 0) {
            plan.tolerances.push_back({.output = "scale", .absolute = 1e-12, .relative = 1e-4});
        }
        return plan;
    }

private:
    /// Adds the operands and results; returns the arguments, of which x stands for those not used.
    static std::vector<Argument> add_buffers(Plan& plan,
                                             const Knobs& knobs,
                                             const GluTiling& t,
                                             DataType type) {
        const DataType out = t.quant != 0 ? DataType::int8 : type;
        std::vector<Argument> arguments;
        const auto add = [&](bool used, Buffer buffer) {
            arguments.push_back(Argument::address(used ? buffer.name : "x"));
            if (used) {
                plan.buffers.push_back(std::move(buffer));
            }
        };
        const bool product = type == DataType::int32;
        add(true,
            Buffer::input("x",
                          type,
                          knobs.shape("shape"),
                          product ? Fill{fill::Integers{-2000, 2000}} : Fill{fill::Normal{0, 2}}));
        add(product,
            Buffer::input("weight_scale", DataType::float32, {2 * t.width}, fill::Uniform{0.5e-3, 2e-3}));
        add(product, Buffer::input("row_scale", DataType::float32, {t.rows}, fill::Uniform{0.5, 2}));
        add(t.smooth != 0, Buffer::input("smooth", DataType::float32, {t.width}, fill::Uniform{0.5, 2}));
        add(true, Buffer::output("y", out, {t.rows * t.width}));
        add(t.quant != 0, Buffer::output("scale", DataType::float32, {t.rows}));
        arguments.push_back(Argument::of(t));
        return arguments;
    }

    static GluTiling problem(const Knobs& knobs, const ChipSpec& chip) {
        const Shape& shape = knobs.shape("shape");
        const auto rank = static_cast<std::int64_t>(shape.size());
        const std::int64_t stated = knobs.integer("axis");
        const std::int64_t axis = stated < 0 ? stated + rank : stated;
        if (axis < 0 || axis >= rank || shape[static_cast<std::size_t>(axis)] % 2 != 0) {
            throw knobs.error("axis", fmt::format("no axis of {} with two halves", text(shape)));
        }
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        const AxisSplit x = split_at(shape, static_cast<std::size_t>(axis));
        const bool product = knobs.type("dtype") == DataType::int32;
        GluTiling t{.rows = x.outer, .width = x.length / 2 * x.inner, .buffers = knobs.count("buffers")};
        t.gelu = knobs.word("gate") == "gelu" ? 1 : 0;
        t.quant = knobs.flag("quant") || product ? 1 : 0;
        t.smooth = t.quant != 0 && knobs.flag("smooth") ? 1 : 0;
        t.swap = knobs.flag("swap") ? 1 : 0;
        return t;
    }

    static GluTiling tile(const Knobs& knobs,
                          const ChipSpec& chip,
                          std::uint64_t size,
                          std::uint32_t& blocks) {
        GluTiling t = problem(knobs, chip);
        const std::uint32_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        if (knobs.word("schedule") == "library") {
            tile_as_library(t, knobs, chip, size, cores, blocks);
        } else if (!tile_glu_rows(t, knobs.type("dtype") == DataType::int32, size, chip.buffers.ub, cores)) {
            throw rows_too_long(knobs);
        } else {
            blocks = blocks_or(knobs.count("blocks"), chip, t.units, 1);
            t.share = ceil_div<std::uint64_t>(t.units, blocks);
        }
        return t;
    }

    static UserError rows_too_long(const Knobs& knobs) {
        return knobs.error("shape", "rows that are quantised must fit the unified buffer");
    }

    static void tile_as_library(GluTiling& t,
                                const Knobs& knobs,
                                const ChipSpec& chip,
                                std::uint64_t size,
                                std::uint32_t cores,
                                std::uint32_t& blocks) {
        const DataType type = knobs.type("dtype");
        if (t.gelu != 0 || (t.quant != 0 && type == DataType::float32)) {
            throw knobs.error("schedule",
                              "the library's orders are for SiLU of floats, or of what is quantised of an "
                              "int8 product or halves");
        }
        if (t.quant == 0) {
            t.blocks = 1;
            tile_glu_blocks(t, size, chip.buffers.ub, cores, blocks);
            return;
        }
        if (!tile_glu_quant(t, type == DataType::int32, chip.buffers.ub, cores)) {
            throw rows_too_long(knobs);
        }
        blocks = static_cast<std::uint32_t>(ceil_div<std::uint64_t>(t.units, t.share));
    }

    static void expect(ReferenceData& data, const GluTiling& t, bool product) {
        const std::vector<float>& x = data.floats("x");
        std::vector<double>& y = data.expected("y");
        std::vector<double> row(t.width);
        for (std::uint64_t r = 0; r < t.rows; ++r) {
            double most = 0;
            for (std::uint64_t i = 0; i < t.width; ++i) {
                const auto part = [&](bool second) {
                    const std::uint64_t at = second ? t.width + i : i;
                    const double factor =
                        product ? double{data.floats("weight_scale")[at]} * data.floats("row_scale")[r] : 1;
                    return x[2 * r * t.width + at] * factor;
                };
                const double gate = part(t.swap != 0);
                row[i] =
                    (t.gelu != 0 ? gelu_of(gate, false) : gate / (1 + std::exp(-gate))) * part(t.swap == 0);
                row[i] *= t.smooth != 0 ? data.floats("smooth")[i] : 1;
                most = std::max(most, std::abs(row[i]));
            }
            for (std::uint64_t i = 0; i < t.width; ++i) {
                y[r * t.width + i] = t.quant == 0 ? row[i] : std::nearbyint(row[i] / (most / 127));
            }
            if (t.quant != 0) {
                data.expected("scale")[r] = most / 127;
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::GluHost host;
    return &host;
}
#endif
