// SPDX-License-Identifier: Apache-2.0
// Rows: add a residual, normalise, weigh, quantise; each station may be left out. One kernel for layer and
// RMS normalisation, with a residual, with dynamic quantisation behind, and for dynamic quantisation alone.
#include "kernels/ops/norm/row_norm/row_norm.h"

#include "kernels/ops/norm/row_norm/row_norm_ahead.h"
#include "kernels/ops/norm/row_norm/row_norm_serial.h"

/// One of the classes, by the schedule.
template <typename T>
__aicore__ inline void RunRowNorm(const RowNormAddresses& addresses, const RowNormTiling& tiling) {
    if (tiling.schedule == RowSchedule::batched) {
        RowNorm<T>(addresses, tiling).Process();
    } else if (tiling.schedule == RowSchedule::ahead) {
        RowNormAhead<T>(addresses, tiling).Process();
    } else {
        RowNormSerial<T>(addresses, tiling).Process();
    }
}

extern "C" __global__ __aicore__ void row_norm_float16(GM_ADDR x,
                                                       GM_ADDR residual,
                                                       GM_ADDR gamma,
                                                       GM_ADDR beta,
                                                       GM_ADDR smooth,
                                                       GM_ADDR y,
                                                       GM_ADDR sum,
                                                       GM_ADDR scale,
                                                       GM_ADDR mean,
                                                       GM_ADDR deviation,
                                                       RowNormTiling tiling) {
    RunRowNorm<half>({x, residual, gamma, beta, smooth, y, sum, scale, mean, deviation}, tiling);
}

extern "C" __global__ __aicore__ void row_norm_bfloat16(GM_ADDR x,
                                                        GM_ADDR residual,
                                                        GM_ADDR gamma,
                                                        GM_ADDR beta,
                                                        GM_ADDR smooth,
                                                        GM_ADDR y,
                                                        GM_ADDR sum,
                                                        GM_ADDR scale,
                                                        GM_ADDR mean,
                                                        GM_ADDR deviation,
                                                        RowNormTiling tiling) {
    RunRowNorm<bfloat16_t>({x, residual, gamma, beta, smooth, y, sum, scale, mean, deviation}, tiling);
}

extern "C" __global__ __aicore__ void row_norm_float32(GM_ADDR x,
                                                       GM_ADDR residual,
                                                       GM_ADDR gamma,
                                                       GM_ADDR beta,
                                                       GM_ADDR smooth,
                                                       GM_ADDR y,
                                                       GM_ADDR sum,
                                                       GM_ADDR scale,
                                                       GM_ADDR mean,
                                                       GM_ADDR deviation,
                                                       RowNormTiling tiling) {
    RunRowNorm<float>({x, residual, gamma, beta, smooth, y, sum, scale, mean, deviation}, tiling);
}

#ifdef ASCENDSIM_HOST
#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/norm/row_norm/row_norm_library.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class RowNormHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "rows: add a residual, normalise, weigh, quantise; each if wanted";
    }

    std::vector<Knob> knobs() const override {
        std::vector<Knob> knobs = row_knobs({4096, 4096});
        knobs.push_back(Knob::word("kind", {"rms", "layer", "none"}, "the normalisation"));
        knobs.push_back(Knob::flag("residual", false, "normalise x + residual, and write that sum as well"));
        knobs.push_back(
            Knob::word("quant", {"none", "int8", "int4"}, "y by the largest magnitude of its row"));
        knobs.push_back(Knob::flag("smooth", false, "a row of factors before the quantisation"));
        knobs.push_back(Knob::flag("stats", false, "write mean and inverse deviation of each row"));
        knobs.push_back(Knob::real("epsilon", 1e-6, 0, 1, "", "added to the mean square"));
        knobs.push_back(
            Knob::integer("chunk", 0, 0, 1 << 20, "elements", "of a row at a time; 0: what fits"));
        knobs.push_back(Knob::word("schedule",
                                   {"batched", "library"},
                                   "batched: tiles overlap; library: the operator library's orders"));
        return knobs;
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        std::uint32_t blocks = 1;
        const RowNormTiling t = tile(knobs, chip, isa::bits(type) / 8, blocks);
        Plan plan;
        plan.problem = fmt::format("row_norm {} {}, {}, quant {}",
                                   text(knobs.shape("shape")),
                                   isa::name(type),
                                   knobs.word("kind"),
                                   knobs.word("quant"));
        plan.launches = {{.entry = fmt::format("row_norm_{}", isa::name(type)),
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::aiv}};
        const bool whole = t.chunk == t.width;  // rows, of which a tile has several
        plan.chosen = {{whole ? "tile" : "chunk", whole ? t.tile : t.chunk}};
        add_buffers(plan, knobs.shape("shape"), type, t);
        plan.launches[0].arguments.push_back(Argument::of(t));
        plan.work = {.vector_flops = 6.0 * static_cast<double>(t.rows * t.width),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        return plan;
    }

private:
    static RowNormTiling problem(const Knobs& knobs, const ChipSpec& chip) {
        const RowProblem rows = row_problem(knobs, chip, knobs.type("dtype"));
        RowNormTiling t{.rows = rows.rows,
                        .width = static_cast<std::uint32_t>(rows.width),
                        .buffers = knobs.count("buffers"),
                        .kind = knobs.word("kind") == "none"    ? RowNormKind::none
                                : knobs.word("kind") == "layer" ? RowNormKind::layer
                                                                : RowNormKind::rms,
                        .quant = knobs.word("quant") == "none"   ? RowQuant::none
                                 : knobs.word("quant") == "int4" ? RowQuant::int4
                                                                 : RowQuant::int8,
                        .residual = knobs.flag("residual") ? std::uint8_t{1} : std::uint8_t{0},
                        .smooth = knobs.flag("smooth") ? std::uint8_t{1} : std::uint8_t{0},
                        .stats = knobs.flag("stats") ? std::uint8_t{1} : std::uint8_t{0},
                        .epsilon = static_cast<float>(knobs.real("epsilon"))};
        if (t.quant == RowQuant::int4 && t.width % 2 != 0) {
            throw knobs.error("shape", "int4 packs two elements into a byte: rows must be even");
        }
        return t;
    }

    static RowNormTiling tile(const Knobs& knobs,
                              const ChipSpec& chip,
                              std::uint64_t size,
                              std::uint32_t& blocks) {
        constexpr std::uint64_t least = 1024;  // elements of a core, as the operator library starts cores
        RowNormTiling t = problem(knobs, chip);
        if (knobs.word("schedule") == "library") {
            if (t.kind == RowNormKind::layer || t.quant == RowQuant::int4) {
                throw knobs.error("schedule", "the library's orders are for RMS and int8");
            }
            const std::uint32_t cores = knobs.count("blocks");
            if (tile_row_norm(t, size, chip.buffers.ub, cores != 0 ? cores : vector_cores(chip), blocks)) {
                return t;
            }
        }
        blocks = blocks_or(
            knobs.count("blocks"), chip, t.rows, ceil_div(least, std::max<std::uint64_t>(t.width, 1)));
        t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.rows, blocks), 1);
        size_tile(t, knobs, chip, size);
        return t;
    }

    /// Whole rows as fit the unified buffer, with one buffer each if not with two; pieces of a row if not one
    /// fits.
    static void size_tile(RowNormTiling& t, const Knobs& knobs, const ChipSpec& chip, std::uint64_t size) {
        const std::uint64_t weights =
            (t.kind == RowNormKind::none ? 0U : 1U) + (t.kind == RowNormKind::layer ? 1U : 0U) + t.smooth;
        const std::uint64_t step = t.quant == RowQuant::int4   ? 64
                                   : t.quant == RowQuant::int8 ? 32
                                                               : 32 / size;
        const std::uint64_t out = t.quant == RowQuant::none ? size : 1;
        std::uint64_t local = t.buffers * ((1U + 2U * t.residual) * size + out) + 8;
        const std::uint64_t each_row = 200;  // values and their spread
        const std::uint64_t room = chip.buffers.ub - 4096;
        const std::uint64_t weigh = weights == 0 ? 0 : weights * 4 + size;
        t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.width}, step));
        const std::uint64_t for_weights = t.pitch * weigh;
        std::uint64_t fits = for_weights < room ? (room - for_weights) / (t.pitch * local + each_row) : 0;
        const std::uint64_t once = local / 2 + 4;  // with one buffer each
        if (fits == 0 && t.buffers == 2 && for_weights + t.pitch * once + each_row <= room) {
            t.buffers = 1;
            local = once;
            fits = 1;
        }
        const std::uint64_t chunk = knobs.count("chunk");
        if (fits == 0 || (chunk != 0 && chunk < t.width)) {
            const std::uint64_t most = (room - 512) / (local + weigh) / 128 * 128;
            t.chunk = static_cast<std::uint32_t>(
                chunk != 0 ? std::min(round_up(chunk, std::uint64_t{64}), most) : most);
            t.pitch = t.chunk;
            t.tile = 1;
            return;
        }
        t.chunk = t.width;
        t.tile = rows_of_tile(t, knobs, fits);
    }

    /// Rows of a tile of which `fits` fit: four tiles for a core, but not too small ones, or what the knob
    /// says.
    static std::uint32_t rows_of_tile(const RowNormTiling& t, const Knobs& knobs, std::uint64_t fits) {
        if (const std::uint32_t tile = knobs.count("tile"); tile != 0) {
            if (tile > fits) {
                throw knobs.error(
                    "tile", fmt::format("{} rows of {} elements fit the unified buffer", fits, t.width));
            }
            return tile;
        }
        const std::uint64_t worth =
            std::max(ceil_div<std::uint64_t>(t.share, 4), ceil_div<std::uint64_t>(4096, t.pitch));
        const std::uint64_t whole = fits >= 16 ? fits / 8 * 8 : fits;
        return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(whole, worth), 1, 248));
    }

    // Buffers that a station left out would read or write are replaced by x.
    static void add_buffers(Plan& plan, const Shape& shape, DataType type, const RowNormTiling& t) {
        std::vector<Argument>& arguments = plan.launches[0].arguments;
        const auto add = [&](bool used, Buffer buffer) {
            arguments.push_back(Argument::address(used ? buffer.name : "x"));
            if (used) {
                plan.buffers.push_back(std::move(buffer));
            }
        };
        const auto checked = [&](bool used, Tolerance tolerance) {
            if (used) {
                plan.tolerances.push_back(std::move(tolerance));
            }
        };
        const bool norm = t.kind != RowNormKind::none;
        const bool layer = t.kind == RowNormKind::layer;
        const bool quant = t.quant != RowQuant::none;
        const DataType out = t.quant == RowQuant::int8   ? DataType::int8
                             : t.quant == RowQuant::int4 ? DataType::int4
                                                         : type;
        const Shape weights{t.width};
        add(true, Buffer::input("x", type, shape, fill::Normal{0, 1}));
        add(t.residual != 0, Buffer::input("residual", type, shape, fill::Normal{0, 1}));
        add(norm, Buffer::input("gamma", type, weights, fill::Uniform{0.5, 1.5}));
        add(layer, Buffer::input("beta", type, weights, fill::Uniform{-1, 1}));
        add(t.smooth != 0, Buffer::input("smooth", type, weights, fill::Uniform{0.5, 1.5}));
        add(true, Buffer::output("y", out, shape));
        add(t.residual != 0, Buffer::output("sum", type, shape));
        add(quant, Buffer::output("scale", DataType::float32, {t.rows}));
        add(t.stats != 0 && layer, Buffer::output("mean", DataType::float32, {t.rows}));
        add(t.stats != 0, Buffer::output("deviation", DataType::float32, {t.rows}));
        // Rounding to whole numbers may go either way next to a half.
        checked(true, quant ? Tolerance{.output = "y", .absolute = 1} : rounded_once("y", type, 1e-5));
        checked(t.residual != 0, rounded_once("sum", type, 1e-6));
        checked(quant, {.output = "scale", .absolute = 0, .relative = 1e-4});
        checked(t.stats != 0 && layer, {.output = "mean", .absolute = 1e-5, .relative = 1e-4});
        checked(t.stats != 0, {.output = "deviation", .absolute = 0, .relative = 1e-4});
    }

    static void expect(ReferenceData& data, const RowNormTiling& t) {
        std::vector<double> row(t.width);
        for (std::uint64_t r = 0; r < t.rows; ++r) {
            for (std::uint64_t i = 0; i < t.width; ++i) {
                row[i] = data.floats("x")[r * t.width + i];
                if (t.residual != 0) {
                    row[i] += data.floats("residual")[r * t.width + i];
                    data.expected("sum")[r * t.width + i] = row[i];
                }
            }
            normalise(data, t, r, row);
            quantise(data, t, r, row);
        }
    }

    static void normalise(ReferenceData& data,
                          const RowNormTiling& t,
                          std::uint64_t r,
                          std::vector<double>& row) {
        const double width = t.width;
        double mean = 0;
        for (const double x : row) {
            mean += t.kind == RowNormKind::layer ? x / width : 0;
        }
        double square = 0;
        for (const double x : row) {
            square += (x - mean) * (x - mean) / width;
        }
        const double inverse = t.kind == RowNormKind::none ? 1 : 1 / std::sqrt(square + t.epsilon);
        for (std::uint64_t i = 0; i < t.width; ++i) {
            row[i] = (row[i] - mean) * inverse * (t.kind == RowNormKind::none ? 1 : data.floats("gamma")[i]) +
                     (t.kind == RowNormKind::layer ? data.floats("beta")[i] : 0);
            row[i] *= t.smooth != 0 ? data.floats("smooth")[i] : 1;
        }
        if (t.stats != 0) {
            data.expected("deviation")[r] = inverse;
            if (t.kind == RowNormKind::layer) {
                data.expected("mean")[r] = mean;
            }
        }
    }

    static void quantise(ReferenceData& data,
                         const RowNormTiling& t,
                         std::uint64_t r,
                         const std::vector<double>& row) {
        double most = 0;
        for (const double x : row) {
            most = std::max(most, std::abs(x));
        }
        const double scale = t.quant == RowQuant::none ? 1 : most / (t.quant == RowQuant::int8 ? 127 : 7);
        for (std::uint64_t i = 0; i < t.width; ++i) {
            data.expected("y")[r * t.width + i] =
                t.quant == RowQuant::none ? row[i] : std::nearbyint(row[i] / scale);
        }
        if (t.quant != RowQuant::none) {
            data.expected("scale")[r] = scale;
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::RowNormHost host;
    return &host;
}
#endif
