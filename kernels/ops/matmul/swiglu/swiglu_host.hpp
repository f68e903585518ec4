// SPDX-License-Identifier: Apache-2.0
// The host side of swiglu.cpp: its arguments and their checks, schedules as launches, the reference.
#pragma once

#include <cmath>

#include <fmt/format.h>

#include "kernels/ops/matmul/swiglu/swiglu_choice.hpp"
#include "kernels/ops/matmul/swiglu/swiglu_launches.hpp"
#include "kernels/plan/kernel_host.hpp"
#include "kernels/plan/reference_matmul.hpp"
#include "kernels/plan/work_split.hpp"

namespace swiglu {

namespace host = ascendsim::host;
using ascendsim::ceil_div;
using ascendsim::isa::DataType;

/// The extents, checked.
struct Problem {
    host::Shape x;  // [batch, sequence, hidden]
    std::uint32_t rows = 0;
    std::uint32_t depth = 0;
    std::uint32_t columns = 0;

    [[nodiscard]] std::uint64_t values() const { return std::uint64_t{rows} * columns; }

    [[nodiscard]] host::Shape y() const { return {x[0], x[1], columns}; }

    [[nodiscard]] host::Shape weight() const { return {depth, columns}; }
};

class Swiglu final : public host::KernelHost {
public:
    [[nodiscard]] std::string_view meaning() const override {
        return "y = silu(x Wg) * (x Wu): four launches, one mixed kernel, or that kernel with everything "
               "overlapped; and gradients";
    }

    [[nodiscard]] std::vector<host::Knob> knobs() const override {
        using host::Knob;
        return {
            Knob::shape("shape", {32, 512, 4096}, "extents of x: batch, sequence, hidden"),
            Knob::shape("gate", {4096, 16384}, "extents of the gate's weights: hidden, intermediate"),
            Knob::shape("up", {4096, 16384}, "extents of the up projection's weights: hidden, intermediate"),
            Knob::type("dtype",
                       {DataType::half, DataType::bfloat16, DataType::float32, DataType::int8},
                       "element type of all tensors; the kernels take float16"),
            Knob::word("schedule",
                       {"optimised", "fused", "native"},
                       "native: four launches; fused: one mixed kernel, single buffers; optimised: double "
                       "buffers, overlapped"),
            Knob::word("pass", {"forward", "backward"}, "y, or the gradients of x and both weights from dy"),
            Knob::integer("buffers", 0, 0, 2, "buffers", "of each stage; 0: 2 for optimised, else 1"),
            Knob::word(
                "pairing",
                {"alternate", "shared"},
                "gate and up tiles one after the other, or side by side with the tile of x loaded once"),
            Knob::integer("slots",
                          0,
                          0,
                          4,
                          "units",
                          "units handed over ahead; 1: cube and vector take turns; 0: as schedule"),
            Knob::integer("base_m", 0, 0, 512, "rows", "rows of a unit; 0: chosen for chip and shape"),
            Knob::integer("base_n", 0, 0, 512, "columns", "columns of a unit; 0: chosen"),
            Knob::integer("base_k", 0, 0, 1024, "elements", "depth of one Mmad; 0: chosen"),
            Knob::integer("step_k", 0, 0, 64, "pieces", "pieces of base_k in one L1 chunk; 0: chosen"),
            Knob::integer(
                "band", 0, 0, 65535, "units", "rows of units walked side by side, sharing L2; 0: chosen"),
            Knob::word("stagger",
                       {"auto", "on", "off"},
                       "cores start at different depths, so that they ask L2 for different lines"),
            Knob::integer("vector_rows", 0, 0, 256, "rows", "rows of a vector core's piece; 0: chosen"),
            Knob::integer("cores", 0, 0, 64, "cores", "cube cores to use; 0: all"),
        };
    }

    [[nodiscard]] host::Plan plan(const host::Knobs& knobs, const ascendsim::ChipSpec& chip) const override {
        const Problem problem = checked(knobs);
        if (!chip.cores.split) {
            throw knobs.error(
                "schedule",
                fmt::format("needs cube cores that write to global memory (910B, 910C); {} has whole cores",
                            chip.name));
        }
        host::Plan plan;
        const bool backward = knobs.word("pass") == "backward";
        plan.problem = fmt::format("SwiGLU {} x {}, float16, {}{}",
                                   host::text(problem.x),
                                   problem.columns,
                                   knobs.word("schedule"),
                                   backward ? ", backward" : "");
        plan.buffers = {host::Buffer::input("x", DataType::half, problem.x),
                        host::Buffer::input("wg", DataType::half, problem.weight(), weights(problem)),
                        host::Buffer::input("wu", DataType::half, problem.weight(), weights(problem))};
        if (backward) {
            plan_backward(plan, problem, chip, launch_knobs(knobs, buffers_of(knobs)));
        } else {
            plan_forward(plan, problem, knobs, chip);
        }
        plan.work.gm_bytes = host::least_traffic(plan.buffers);
        return plan;
    }

private:
    // Elements whose products with x sum up to about 1/3: as after training, and far from fp16's limits.
    [[nodiscard]] static host::Fill weights(const Problem& problem) {
        const double bound = 1.0 / std::sqrt(static_cast<double>(problem.depth));
        return host::fill::Uniform{.low = -bound, .high = bound};
    }

    /// Throws the errors of weights that are no matrices of x's `hidden` rows.
    static void check_weights(const host::Knobs& knobs, std::uint64_t hidden) {
        for (const char* name : {"gate", "up"}) {
            const host::Shape& w = knobs.shape(name);
            if (w.size() != 2) {
                throw knobs.error(
                    name,
                    fmt::format("weights have rank {}; they must have rank 2: [hidden, intermediate]",
                                w.size()));
            }
            if (w[0] != hidden) {
                throw knobs.error(
                    name,
                    fmt::format("its first dimension is {}, x's hidden size is {}; they must be equal",
                                w[0],
                                hidden));
            }
        }
        if (knobs.shape("gate") != knobs.shape("up")) {
            throw knobs.error("up",
                              fmt::format("gate's weights are {}; both must have the same extents",
                                          host::text(knobs.shape("gate"))));
        }
    }

    [[nodiscard]] static Problem checked(const host::Knobs& knobs) {
        constexpr std::uint64_t most = (std::uint64_t{1} << 31U) - 1;
        if (knobs.type("dtype") != DataType::half) {
            throw knobs.error("dtype", "the kernels take float16");
        }
        const host::Shape& x = knobs.shape("shape");
        if (x.size() != 3) {
            throw knobs.error(
                "shape",
                fmt::format("x has rank {}; it must have rank 3: [batch, sequence, hidden]", x.size()));
        }
        check_weights(knobs, x[2]);
        if (x[2] == 0 || x[2] % 16 != 0) {
            throw knobs.error(
                "shape", fmt::format("the hidden size is {}; it must be a positive multiple of 16", x[2]));
        }
        const std::uint64_t rows = x[0] * x[1];
        const std::uint64_t columns = knobs.shape("gate")[1];
        if (x[0] > most || x[1] > most || std::max({rows, x[2], columns}) > most) {
            throw knobs.error("shape", fmt::format("more than {} rows or columns", most));
        }
        return {.x = x,
                .rows = static_cast<std::uint32_t>(rows),
                .depth = static_cast<std::uint32_t>(x[2]),
                .columns = static_cast<std::uint32_t>(columns)};
    }

    [[nodiscard]] static std::uint32_t buffers_of(const host::Knobs& knobs) {
        const std::uint32_t wanted = knobs.count("buffers");
        return wanted != 0 ? wanted : knobs.word("schedule") == "optimised" ? 2 : 1;
    }

    static void plan_forward(host::Plan& plan,
                             const Problem& problem,
                             const host::Knobs& knobs,
                             const ascendsim::ChipSpec& chip) {
        plan.buffers.push_back(host::Buffer::output("y", DataType::half, problem.y()));
        const bool native = knobs.word("schedule") == "native";
        if (native) {
            launch_native(plan, problem, chip, launch_knobs(knobs, buffers_of(knobs)));
        } else {
            launch_fused(plan, problem, knobs, chip);
        }
        const double values = static_cast<double>(problem.values());
        plan.work.cube_flops = 4.0 * values * problem.depth;
        plan.work.vector_flops = 5.0 * values;  // negate, exp, add, divide, multiply
        plan.work.vector_type = DataType::float32;
        // One rounding to fp16; 1e-4 is what the operator promises. Native rounds three intermediates
        // besides.
        plan.tolerances = {
            {.output = "y", .absolute = 1e-4, .relative = native ? 4 * 0x1p-11 : 0.0, .ulp = 1}};
        plan.reference = [problem](host::ReferenceData& data) { expect_forward(data, problem); };
    }

    static void launch_native(host::Plan& plan,
                              const Problem& problem,
                              const ascendsim::ChipSpec& chip,
                              const LaunchKnobs& knobs) {
        for (const char* name : {"gate", "activated", "up"}) {
            plan.buffers.push_back(host::Buffer::workspace(name, 2 * problem.values()));
        }
        LaunchList launches{plan, chip, knobs};
        const matmul::Problem product{.m = problem.rows, .n = problem.columns, .k = problem.depth};
        launches.matmul("x", "wg", "gate", product);
        launches.vector("swiglu_silu", {"gate", "activated"}, problem.values());
        launches.matmul("x", "wu", "up", product);
        launches.vector("swiglu_mul", {"activated", "up", "y"}, problem.values());
    }

    static void launch_fused(host::Plan& plan,
                             const Problem& problem,
                             const host::Knobs& knobs,
                             const ascendsim::ChipSpec& chip) {
        const std::uint32_t cores = host::cube_cores_or_all(knobs, "cores", chip);
        const Tiling tiling = tiling_of(knobs, chip, problem, cores);
        plan.problem += fmt::format(
            ", units of {} x {} x {}", tiling.base_m, tiling.base_n, tiling.base_k * tiling.step_k);
        const std::uint64_t units =
            std::uint64_t{ceil_div(tiling.rows, tiling.base_m)} * ceil_div(tiling.columns, tiling.base_n);
        const auto blocks = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(units, 1, cores));
        plan.chosen = {{"buffers", buffers_of(knobs)},
                       {"slots", tiling.slots},
                       {"base_m", tiling.base_m},
                       {"base_n", tiling.base_n},
                       {"base_k", tiling.base_k},
                       {"step_k", tiling.step_k},
                       {"band", tiling.band},
                       {"vector_rows", tiling.vector_rows}};
        const std::uint64_t slot = std::uint64_t{2} * tiling.base_m * tiling.base_n * 4;
        plan.buffers.push_back(host::Buffer::workspace("workspace", blocks * tiling.slots * slot));
        plan.launches = {{.entry = "swiglu_fused",
                          .blocks = blocks,
                          .cores = ascendsim::CoreUse::mix_1_2,
                          .arguments = {host::Argument::address("x"),
                                        host::Argument::address("wg"),
                                        host::Argument::address("wu"),
                                        host::Argument::address("y"),
                                        host::Argument::address("workspace"),
                                        host::Argument::of(tiling)},
                          .label = fmt::format("swiglu_{}", knobs.word("schedule"))}};
    }

    /// The problem and what the knobs fix of its tiling; 0: open.
    [[nodiscard]] static Tiling wanted_by(const host::Knobs& knobs, const Problem& problem) {
        const std::uint32_t slots = knobs.count("slots");
        const bool optimised = knobs.word("schedule") == "optimised";
        return {.rows = problem.rows,
                .depth = problem.depth,
                .columns = problem.columns,
                .base_m = knobs.count("base_m"),
                .base_n = knobs.count("base_n"),
                .base_k = knobs.count("base_k"),
                .step_k = knobs.count("step_k"),
                .passes = knobs.word("pairing") == "shared" ? 1U : 2U,
                .buffers = buffers_of(knobs),
                .slots = slots != 0  ? slots
                         : optimised ? 2U
                                     : 1U,
                .band = knobs.count("band"),
                .stagger =
                    knobs.word("stagger") == "on" || (knobs.word("stagger") == "auto" && optimised) ? 1U : 0U,
                .vector_rows = knobs.count("vector_rows")};
    }

    [[nodiscard]] static Tiling tiling_of(const host::Knobs& knobs,
                                          const ascendsim::ChipSpec& chip,
                                          const Problem& problem,
                                          std::uint32_t cores) {
        const Tiling wanted = wanted_by(knobs, problem);
        check_fractals(knobs);
        const std::optional<Tiling> chosen = UnitChoice{chip, cores}.best(wanted);
        if (!chosen) {
            throw knobs.error(
                "base_m",
                fmt::format(
                    "no unit with these sizes and {} buffers fits {} (L0A {}, L0B {}, L0C {}, L1 {}, UB {} "
                    "bytes); 0 lets the host choose",
                    wanted.buffers,
                    chip.name,
                    chip.buffers.l0a,
                    chip.buffers.l0b,
                    chip.buffers.l0c,
                    chip.buffers.l1,
                    chip.buffers.ub));
        }
        Tiling tiling = *chosen;
        // As many rows of x as columns of weights at a time: fewest different lines of L2.
        const double rows = std::sqrt(1.0 * cores * tiling.base_n / tiling.base_m);
        tiling.band = tiling.band != 0 ? tiling.band : std::max(1U, static_cast<std::uint32_t>(rows));
        return tiling;
    }

    static void expect_forward(host::ReferenceData& data, const Problem& problem) {
        const auto product = [&](const char* weight) {
            return host::multiply({.a = data.floats("x"),
                                   .b = data.floats(weight),
                                   .m = problem.rows,
                                   .n = problem.columns,
                                   .k = problem.depth});
        };
        const std::vector<double> gate = product("wg");
        const std::vector<double> up = product("wu");
        std::vector<double>& y = data.expected("y");
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = gate[i] / (1.0 + std::exp(-gate[i])) * up[i];
        }
    }

    // ---- gradients ----

    static void plan_backward(host::Plan& plan,
                              const Problem& problem,
                              const ascendsim::ChipSpec& chip,
                              const LaunchKnobs& knobs) {
        plan.buffers.push_back(host::Buffer::input("dy", DataType::half, problem.y()));
        plan.buffers.push_back(host::Buffer::output("dx", DataType::half, problem.x));
        plan.buffers.push_back(host::Buffer::output("dwg", DataType::half, problem.weight()));
        plan.buffers.push_back(host::Buffer::output("dwu", DataType::half, problem.weight()));
        for (const char* name : {"gate", "up", "dgate", "dup"}) {
            plan.buffers.push_back(host::Buffer::workspace(name, 2 * problem.values()));
        }
        for (const char* name : {"dx_gate", "dx_up"}) {
            plan.buffers.push_back(
                host::Buffer::workspace(name, std::uint64_t{2} * problem.rows * problem.depth));
        }
        add_backward_launches(plan, problem, chip, knobs);
        const double values = static_cast<double>(problem.values());
        plan.work.cube_flops = 12.0 * values * problem.depth;
        plan.work.vector_flops = 11.0 * values;
        plan.work.vector_type = DataType::float32;
        // Intermediates are rounded to fp16: relative errors of 2^-11 each, of terms with random signs that
        // add up as the square root of their number; ten deviations.
        const auto spread = [](double terms, double size) {
            return 10 * 0x1p-11 * std::sqrt(std::max(terms, 1.0)) * size;
        };
        const double bound = 1.0 / std::sqrt(static_cast<double>(problem.depth));
        plan.tolerances = {
            {.output = "dx", .absolute = spread(problem.columns, 0.3 * bound), .relative = 0x1p-9},
            {.output = "dwg", .absolute = spread(problem.rows, 0.3), .relative = 0x1p-9},
            {.output = "dwu", .absolute = spread(problem.rows, 0.3), .relative = 0x1p-9}};
        plan.reference = [problem](host::ReferenceData& data) { expect_backward(data, problem); };
    }

    static void add_backward_launches(host::Plan& plan,
                                      const Problem& problem,
                                      const ascendsim::ChipSpec& chip,
                                      const LaunchKnobs& knobs) {
        LaunchList launches{plan, chip, knobs};
        const matmul::Problem forward{.m = problem.rows, .n = problem.columns, .k = problem.depth};
        const matmul::Problem to_x{
            .m = problem.rows, .n = problem.depth, .k = problem.columns, .transpose_b = true};
        const matmul::Problem to_w{
            .m = problem.depth, .n = problem.columns, .k = problem.rows, .transpose_a = true};
        launches.matmul("x", "wg", "gate", forward);
        launches.matmul("x", "wu", "up", forward);
        launches.vector("swiglu_gradients", {"dy", "gate", "up", "dgate", "dup"}, problem.values());
        launches.matmul("dgate", "wg", "dx_gate", to_x);
        launches.matmul("dup", "wu", "dx_up", to_x);
        launches.vector(
            "swiglu_add", {"dx_gate", "dx_up", "dx"}, std::uint64_t{problem.rows} * problem.depth);
        launches.matmul("x", "dgate", "dwg", to_w);
        launches.matmul("x", "dup", "dwu", to_w);
    }

    static void expect_backward(host::ReferenceData& data, const Problem& problem) {
        const auto product = [&](const char* weight) {
            return host::multiply({.a = data.floats("x"),
                                   .b = data.floats(weight),
                                   .m = problem.rows,
                                   .n = problem.columns,
                                   .k = problem.depth});
        };
        const std::vector<double> gate = product("wg");
        const std::vector<double> up = product("wu");
        const std::vector<float>& dy = data.floats("dy");
        std::vector<float> dgate(gate.size());
        std::vector<float> dup(gate.size());
        for (std::size_t i = 0; i < gate.size(); ++i) {
            const double s = 1.0 / (1.0 + std::exp(-gate[i]));
            dup[i] = static_cast<float>(dy[i] * gate[i] * s);
            dgate[i] = static_cast<float>(dy[i] * up[i] * s * (1.0 + gate[i] * (1.0 - s)));
        }
        const host::ReferenceProduct to_x{
            .m = problem.rows, .n = problem.depth, .k = problem.columns, .transpose_b = true};
        const host::ReferenceProduct to_w{
            .m = problem.depth, .n = problem.columns, .k = problem.rows, .transpose_a = true};
        const auto times =
            [](host::ReferenceProduct shape, const std::vector<float>& a, const std::vector<float>& b) {
                shape.a = a;
                shape.b = b;
                return host::multiply(shape);
            };
        std::vector<double>& dx = data.expected("dx");
        dx = times(to_x, dgate, data.floats("wg"));
        const std::vector<double> other = times(to_x, dup, data.floats("wu"));
        for (std::size_t i = 0; i < dx.size(); ++i) {
            dx[i] += other[i];
        }
        data.expected("dwg") = times(to_w, data.floats("x"), dgate);
        data.expected("dwu") = times(to_w, data.floats("x"), dup);
    }
};

}  // namespace swiglu

extern "C" const ascendsim::host::KernelHost* ascendsim_kernel_host() {
    static const swiglu::Swiglu swiglu_host;
    return &swiglu_host;
}
