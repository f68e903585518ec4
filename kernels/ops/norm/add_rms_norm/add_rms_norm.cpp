// SPDX-License-Identifier: Apache-2.0
// A residual is added and the sum normalised, as the operator of the libraries does it (add_rms_norm.h).
#include "kernels/ops/norm/add_rms_norm/add_rms_norm.h"

#include "kernels/ops/norm/add_rms_norm/add_rms_norm_tiles.h"

/// One of the classes, by the order that the tiling in global memory names.
template <typename T>
__aicore__ inline void RunAddRmsNorm(const AddRmsNormAddresses& addresses, GM_ADDR tiling) {
    GET_TILING_DATA_WITH_STRUCT(AddRmsNormTiling, t, tiling);
    AscendC::TPipe pipe;
    if (t.order == AddNormOrder::row) {
        AddRmsNormByRow<T>(addresses, t, pipe).Process();
    } else if (t.order == AddNormOrder::single) {
        AddRmsNormOfOne<T>(addresses, t, pipe).Process();
    } else {
        AddRmsNormTiles<T>(addresses, t, pipe).Process();
    }
}

extern "C" __global__ __aicore__ void add_rms_norm_float16(GM_ADDR x,
                                                           GM_ADDR residual,
                                                           GM_ADDR gamma,
                                                           GM_ADDR beta,
                                                           GM_ADDR y,
                                                           GM_ADDR deviation,
                                                           GM_ADDR sum,
                                                           GM_ADDR tiling) {
    RunAddRmsNorm<half>({x, residual, gamma, beta, y, deviation, sum}, tiling);
}

extern "C" __global__ __aicore__ void add_rms_norm_bfloat16(GM_ADDR x,
                                                            GM_ADDR residual,
                                                            GM_ADDR gamma,
                                                            GM_ADDR beta,
                                                            GM_ADDR y,
                                                            GM_ADDR deviation,
                                                            GM_ADDR sum,
                                                            GM_ADDR tiling) {
    RunAddRmsNorm<bfloat16_t>({x, residual, gamma, beta, y, deviation, sum}, tiling);
}

extern "C" __global__ __aicore__ void add_rms_norm_float32(GM_ADDR x,
                                                           GM_ADDR residual,
                                                           GM_ADDR gamma,
                                                           GM_ADDR beta,
                                                           GM_ADDR y,
                                                           GM_ADDR deviation,
                                                           GM_ADDR sum,
                                                           GM_ADDR tiling) {
    RunAddRmsNorm<float>({x, residual, gamma, beta, y, deviation, sum}, tiling);
}

#ifdef ASCENDSIM_HOST
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/norm/add_rms_norm/add_rms_norm_room.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/work_split.hpp"
#include "kernels/shared/float_types.hpp"
#include "kernels/shared/row_host.hpp"

namespace ascendsim::host {
namespace {

using isa::DataType;

class AddRmsNormHost : public KernelHost {
public:
    std::string_view meaning() const override {
        return "y = s / sqrt(mean(s^2) + epsilon) * gamma, s = x + residual, in the libraries' order";
    }

    std::vector<Knob> knobs() const override {
        return {
            Knob::shape("shape", {1024, 5120}, "extents of x and y; rows run along the last"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32},
                       "element type of x and y; the arithmetic is in float32"),
            Knob::flag("bias", false, "a row beta is added"),
            Knob::real("epsilon", 1e-6, 0, 1, "", "added to the mean square"),
            Knob::integer("blocks", 0, 0, 65535, "", "cores; 0: all, as far as there are rows"),
        };
    }

    Plan plan(const Knobs& knobs, const ChipSpec& chip) const override {
        const DataType type = checked_float_type(knobs, chip);
        const AddRmsNormTiling t = tile(knobs, chip, type);
        const Shape& shape = knobs.shape("shape");
        Plan plan;
        plan.problem = fmt::format("AddRmsNorm {} {}", text(shape), isa::name(type));
        plan.chosen = {{"tile", t.tile}};
        plan.buffers = {Buffer::input("x", type, shape, fill::Normal{0, 1}),
                        Buffer::input("residual", type, shape, fill::Normal{0, 1}),
                        Buffer::input("gamma", type, {t.width}, fill::Uniform{0.5, 1.5})};
        if (t.bias != 0) {
            plan.buffers.push_back(Buffer::input("beta", type, {t.width}, fill::Uniform{-1, 1}));
        }
        plan.buffers.push_back(Buffer::output("y", type, shape));
        plan.buffers.push_back(Buffer::output("deviation", DataType::float32, {t.rows}));
        plan.buffers.push_back(Buffer::output("sum", type, shape));
        plan.work = {.vector_flops = 5.0 * static_cast<double>(t.rows * t.width),
                     .vector_type = DataType::float32,
                     .gm_bytes = least_traffic(plan.buffers)};
        plan.buffers.push_back(Buffer::tiling("tiling", t));
        plan.launches = {
            {.entry = fmt::format("add_rms_norm_{}", isa::name(type)),
             .blocks = static_cast<std::uint32_t>(std::max<std::uint64_t>(ceil_div(t.rows, t.share), 1)),
             .cores = ascendsim::CoreUse::aiv,
             .arguments = {Argument::address("x"),
                           Argument::address("residual"),
                           Argument::address("gamma"),
                           Argument::address(t.bias != 0 ? "beta" : "gamma"),
                           Argument::address("y"),
                           Argument::address("deviation"),
                           Argument::address("sum"),
                           Argument::address("tiling")}}};
        plan.reference = [t](ReferenceData& data) { expect(data, t); };
        // The sum, the factor and the result are rounded to the type. What lies below 8 in magnitude and is
        // multiplied by gamma, below 1.5, is off by three half steps of the type at most.
        Tolerance y = rounded_once("y", type, 2e-5);
        y.absolute += 1.5 * 8 * 1.5 * y.relative / 2;
        plan.tolerances = {
            y,
            rounded_once("sum", type, 1e-6),
            {.output = "deviation", .absolute = 0, .relative = factor_error(y.relative / 2, t.width)}};
        return plan;
    }

private:
    /// Largest relative error of 1 / sqrt(mean square) of `width` normally distributed elements that are off
    /// by up to `half_step` of themselves, each on its own: six standard deviations, half_step / sqrt(width)
    /// each, and never more than an element. Sum, root and division in floats add some roundings.
    static double factor_error(double half_step, std::uint32_t width) {
        constexpr double of_floats = 1e-5;
        return of_floats + half_step * std::min(1.0, 6 / std::sqrt(static_cast<double>(width)));
    }

    /// Orders and tiles as the operator's host side chooses them (op_host/add_rms_norm_bias_tiling.cpp).
    static AddRmsNormTiling tile(const Knobs& knobs, const ChipSpec& chip, DataType type) {
        if (chip.arch != "2201") {
            throw knobs.error("shape", chip.name + " has no copies with padding, which this kernel needs");
        }
        const RowProblem rows = row_problem(knobs, chip, type);
        const std::uint64_t size = isa::bits(type) / 8;
        const bool bias = knobs.flag("bias");
        const std::uint32_t room = add_rms_norm_room(type, bias);
        if (rows.width == 0 || rows.width > room) {
            throw knobs.error("shape", fmt::format("rows of 1 to {} elements are taken", room));
        }
        const std::uint32_t cores = knobs.count("blocks") != 0 ? knobs.count("blocks") : vector_cores(chip);
        AddRmsNormTiling t{
            .rows = rows.rows,
            .share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(rows.rows, cores), 1),
            .width = static_cast<std::uint32_t>(rows.width),
            .pitch = static_cast<std::uint32_t>(round_up(rows.width, 32 / size)),
            .tile = 64,
            .room = room,
            .epsilon = static_cast<float>(knobs.real("epsilon")),
            .average = 1.0F / static_cast<float>(rows.width),
            .order = AddNormOrder::row,
            .bias = bias ? 1U : 0U,
        };
        choose_order(t, knobs.shape("shape"), chip, type);
        return t;
    }

    static void choose_order(AddRmsNormTiling& t, const Shape& shape, const ChipSpec& chip, DataType type) {
        const bool bias = t.bias != 0;
        const std::uint64_t unified = chip.buffers.ub - 1024;
        const std::uint32_t narrow = bias ? 1600 : 2000;
        if (t.share == 1) {
            t.order = AddNormOrder::single;
            t.tile = 1;
        } else if (t.pitch <= narrow) {
            const std::uint64_t each = type == DataType::float32 ? (bias ? 28 : 24) : (bias ? 20 : 18);
            t.order = AddNormOrder::tiles;
            t.tile = static_cast<std::uint32_t>(unified / (t.pitch * each + 260));
        } else if (t.width == t.pitch && (type == DataType::half || few_rows(shape, type))) {
            const std::uint64_t weights = std::uint64_t{t.pitch} * (bias ? 4 : 2) + 256;
            const auto fits =
                static_cast<std::uint32_t>((unified - weights) / (std::uint64_t{t.pitch} * 16 + 64));
            if (fits != 0) {
                t.order = AddNormOrder::pairs;
                t.tile = fits;
            }
        }
    }

    /// Where the operator takes several long rows of bfloat16 at a time, on what its tiling takes for a 910B:
    /// every chip of architecture 2201, also a 910C.
    static bool few_rows(const Shape& shape, DataType type) {
        constexpr std::uint64_t most_rows = 512;
        constexpr std::uint64_t most_inner_rows = 8;  // of three extents
        constexpr std::uint64_t most_columns = 5120;
        const bool few = (shape.size() == 2 || (shape.size() == 3 && shape[1] <= most_inner_rows)) &&
                         shape.front() <= most_rows && shape.back() <= most_columns;
        return type == DataType::bfloat16 && few;
    }

    static void expect(ReferenceData& data, const AddRmsNormTiling& t) {
        const std::vector<float>& x = data.floats("x");
        const std::vector<float>& residual = data.floats("residual");
        const std::vector<float>& gamma = data.floats("gamma");
        for (std::uint64_t r = 0; r < t.rows; ++r) {
            double squares = 0;
            for (std::uint64_t i = r * t.width; i < (r + 1) * t.width; ++i) {
                const double sum = static_cast<double>(x[i]) + residual[i];
                data.expected("sum")[i] = sum;
                squares += sum * sum;
            }
            const double factor = 1 / std::sqrt(squares / t.width + t.epsilon);
            data.expected("deviation")[r] = factor;
            for (std::uint32_t c = 0; c < t.width; ++c) {
                const std::uint64_t i = r * t.width + c;
                data.expected("y")[i] =
                    data.expected("sum")[i] * factor * gamma[c] + (t.bias != 0 ? data.floats("beta")[c] : 0);
            }
        }
    }
};

}  // namespace
}  // namespace ascendsim::host

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const ascendsim::host::AddRmsNormHost host;
    return &host;
}
#endif
