// SPDX-License-Identifier: Apache-2.0
// Gated linear units of tensors whose halves along an axis are gate and value: SwiGLU, GeGLU, and both
// between the dequantisation of an int8 product and the quantisation for the next one.
#include "kernels/common/glu.h"

#include "kernels/common/glu_blocks.h"
#include "kernels/common/glu_quant.h"

extern "C" __global__ __aicore__ void glu_float16(GM_ADDR x,
                                                  GM_ADDR weight_scale,
                                                  GM_ADDR row_scale,
                                                  GM_ADDR smooth,
                                                  GM_ADDR y,
                                                  GM_ADDR scale,
                                                  GluTiling tiling) {
    if (tiling.blocks != 0) {
        GluBlocks<half>(x, y, tiling).Process();
    } else if (tiling.library != 0) {
        GluQuant<half>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    } else {
        Glu<half>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void glu_bfloat16(GM_ADDR x,
                                                   GM_ADDR weight_scale,
                                                   GM_ADDR row_scale,
                                                   GM_ADDR smooth,
                                                   GM_ADDR y,
                                                   GM_ADDR scale,
                                                   GluTiling tiling) {
    if (tiling.blocks != 0) {
        GluBlocks<bfloat16_t>(x, y, tiling).Process();
    } else if (tiling.library != 0) {
        GluQuant<bfloat16_t>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    } else {
        Glu<bfloat16_t>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void glu_float32(GM_ADDR x,
                                                  GM_ADDR weight_scale,
                                                  GM_ADDR row_scale,
                                                  GM_ADDR smooth,
                                                  GM_ADDR y,
                                                  GM_ADDR scale,
                                                  GluTiling tiling) {
    if (tiling.blocks != 0) {
        GluBlocks<float>(x, y, tiling).Process();
    } else {
        Glu<float>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void glu_int32(GM_ADDR x,
                                                GM_ADDR weight_scale,
                                                GM_ADDR row_scale,
                                                GM_ADDR smooth,
                                                GM_ADDR y,
                                                GM_ADDR scale,
                                                GluTiling tiling) {
    if (tiling.library != 0) {
        GluQuant<int32_t>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    } else {
        Glu<int32_t>(x, weight_scale, row_scale, smooth, y, scale, tiling).Process();
    }
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/common/float_types.hpp"
#include "kernels/common/gelu_host.hpp"
#include "kernels/common/glu_tiles.hpp"
#include "kernels/host/kernel_host.hpp"
#include "kernels/host/work_split.hpp"

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
        const DataType out = t.quant != 0 ? DataType::int8 : type;
        Plan plan;
        plan.problem = fmt::format("GLU {} {}", text(knobs.shape("shape")), isa::name(type));
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
        plan.launches = {{.entry = fmt::format("glu_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = CoreUse::aiv,
                          .arguments = std::move(arguments)}};
        std::uint64_t bytes = 0;
        for (const Buffer& buffer : plan.buffers) {
            bytes += buffer.bytes();
        }
        plan.work = {.vector_flops = 6.0 * static_cast<double>(t.rows * t.width),
                     .vector_type = DataType::float32,
                     .gm_bytes = bytes};
        plan.reference = [t, product](ReferenceData& data) { expect(data, t, product); };
        // Next to a half, rounding to whole numbers may go either way.
        plan.tolerances = {t.quant != 0 ? Tolerance{.output = "y", .absolute = 1}
                                        : rounded_once("y", type, 1e-5)};
        if (t.quant != 0) {
            plan.tolerances.push_back({.output = "scale", .absolute = 1e-12, .relative = 1e-4});
        }
        return plan;
    }

private:
    static GluTiling tile(const Knobs& knobs,
                          const ChipSpec& chip,
                          std::uint64_t size,
                          std::uint32_t& blocks) {
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
        GluTiling t{
            .rows = 1, .width = shape[static_cast<std::size_t>(axis)] / 2, .buffers = knobs.count("buffers")};
        for (std::int64_t i = 0; i < rank; ++i) {
            const std::uint64_t extent = shape[static_cast<std::size_t>(i)];
            t.rows *= i < axis ? extent : 1;
            t.width *= i > axis ? extent : 1;
        }
        const bool product = knobs.type("dtype") == DataType::int32;
        t.gelu = knobs.word("gate") == "gelu" ? 1 : 0;
        t.quant = knobs.flag("quant") || product ? 1 : 0;
        t.smooth = t.quant != 0 && knobs.flag("smooth") ? 1 : 0;
        t.swap = knobs.flag("swap") ? 1 : 0;
        const bool library = knobs.word("schedule") == "library";
        if (library && (t.gelu != 0 || (t.quant != 0 && knobs.type("dtype") == DataType::float32))) {
            throw knobs.error("schedule",
                              "the library's orders are for SiLU of floats, or of what is quantised of an "
                              "int8 product or halves");
        }
        if (library && t.quant == 0) {
            t.blocks = 1;
            const std::uint32_t cores = knobs.count("blocks");
            tile_glu_blocks(t, size, chip.buffers.ub, cores != 0 ? cores : vector_cores(chip), blocks);
            return t;
        }
        if (library) {
            if (!tile_glu_quant(t,
                                product,
                                chip.buffers.ub,
                                knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip))) {
                throw knobs.error("shape", "rows that are quantised must fit the unified buffer");
            }
            blocks = static_cast<std::uint32_t>(ceil_div<std::uint64_t>(t.units, t.share));
            return t;
        }
        const bool weights = product || t.smooth != 0;
        const std::uint64_t out = t.quant != 0 ? 1 : size;
        const std::uint64_t local = t.buffers * (2 * size + out) + 12 + (weights ? 12 : 0);
        const std::uint64_t step = 32 / std::min(out, size);
        const std::uint64_t room = (chip.buffers.ub - 4096) / local / step * step;  // elements
        const std::uint64_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        const std::uint64_t total = t.rows * t.width;
        const std::uint64_t whole = round_up(t.width, step);
        if ((weights || t.quant != 0) && whole + 128 > room) {
            throw knobs.error("shape", "rows that are quantised must fit the unified buffer");
        }
        if (t.quant == 0 && (whole > room || t.rows < cores)) {  // pieces of rows
            const std::uint64_t share = ceil_div(total, cores * 4);
            t.chunk = static_cast<std::uint32_t>(
                std::min({round_up(std::max<std::uint64_t>(share, 1024), 512 / size), room, whole}));
            t.tile = 1;
        } else {
            t.chunk = static_cast<std::uint32_t>(t.width);
            const std::uint64_t fits = std::max<std::uint64_t>((room - 128) / (whole + 12), 1);
            const std::uint64_t quarter = ceil_div<std::uint64_t>(ceil_div(t.rows, cores), 4);
            t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(
                std::min(fits, std::max(quarter, ceil_div<std::uint64_t>(1024, whole))), 1, 240));
        }
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, step));
        t.units = ceil_div<std::uint64_t>(t.rows, t.tile) * ceil_div<std::uint64_t>(t.width, t.chunk);
        blocks = blocks_or(knobs.count("blocks"), chip, t.units, 1);
        t.share = ceil_div<std::uint64_t>(t.units, blocks);
        return t;
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
