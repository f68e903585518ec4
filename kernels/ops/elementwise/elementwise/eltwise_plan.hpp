// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include <fmt/format.h>

#include "kernels/ops/elementwise/elementwise/eltwise_tiles.hpp"
#include "kernels/plan/plan.hpp"
#include "kernels/shared/float_types.hpp"

namespace ascendsim::host {

/// Values an operand takes in a checked run.
[[nodiscard]] inline Fill elt_fill(const EltEntry& entry, isa::DataType type) {
    using D = isa::DataType;
    if (entry.op == EltOp::dropout_mask && type == D::uint8) {
        return fill::Integers{0, 255};
    }
    if (type == D::boolean || entry.op == EltOp::logical_and || entry.op == EltOp::logical_or) {
        return fill::Integers{0, 1};
    }
    if (elt_of_fractions(entry.op)) {
        return fill::Uniform{0.05, 0.95};
    }
    if (entry.op == EltOp::acosh) {
        return fill::Uniform{1.1, 4};
    }
    if (type == D::half || type == D::bfloat16 || type == D::float32) {
        return entry.positive ? Fill{fill::Uniform{0.5, 2}} : Fill{fill::Normal{0, 2}};
    }
    return entry.positive || type == D::uint8 ? Fill{fill::Integers{1, 60}} : Fill{fill::Integers{-60, 60}};
}

/// Element `e` of operand `i`, whose buffer holds `x`, spread as the problem says.
[[nodiscard]] inline double elt_operand(const EltProblem& problem,
                                        std::size_t i,
                                        const std::vector<float>& x,
                                        std::uint64_t e) {
    if (problem.entry.op == EltOp::dropout_mask && i == 1) {
        return static_cast<double>((static_cast<unsigned>(x[e / 8]) >> (e % 8)) & 1U);
    }
    switch (problem.form[i]) {
        case EltForm::dense:
            return x[e];
        case EltForm::scalar:
            return x[0];
        case EltForm::row:
            return x[e % problem.width];
        case EltForm::column:
            return x[e / problem.width % problem.period];
    }
    return 0;
}

/// Computes what a problem should give.
inline void elt_expect(const EltProblem& problem, ReferenceData& data) {
    const std::size_t inputs = problem.entry.inputs;
    std::vector<const std::vector<float>*> x;
    for (std::size_t i = 0; i < inputs; ++i) {
        x.push_back(&data.floats(fmt::format("x{}", i)));
    }
    std::vector<std::vector<double>*> y;
    for (std::size_t i = 0; i < problem.entry.outputs; ++i) {
        y.push_back(&data.expected(problem.result(i)));
    }
    std::array<double, elt_most_inputs> in{};
    std::array<double, elt_most_outputs> out{};
    for (std::uint64_t e = 0; e < y[0]->size(); ++e) {
        for (std::size_t i = 0; i < inputs; ++i) {
            in.at(i) = elt_operand(problem, i, *x[i], e);
        }
        if (problem.entry.step != nullptr) {
            problem.entry.step(in.data(), problem.parameter.data(), out.data());
        } else {
            out[0] = problem.entry.formula(in.data(), problem.parameter.data());
        }
        for (std::size_t i = 0; i < y.size(); ++i) {
            (*y[i])[e] = problem.out_type == isa::DataType::half ||
                                 problem.out_type == isa::DataType::bfloat16 ||
                                 problem.out_type == isa::DataType::float32
                             ? out.at(i)
                             : std::trunc(out.at(i));
        }
    }
}

/// Adds the operands to the plan; all arguments have a place, those not used stand for the result.
inline void elt_add_inputs(Plan& plan, const EltProblem& problem, std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < elt_most_inputs; ++i) {
        if (i >= problem.entry.inputs) {
            arguments.push_back(Argument::address(problem.result(0)));
            continue;
        }
        const bool bits = problem.entry.op == EltOp::dropout_mask && i == 1;
        const Shape shape = bits ? Shape{ceil_div<std::uint64_t>(elements(problem.shape), 8)} : problem.in[i];
        const isa::DataType type = bits ? isa::DataType::uint8 : problem.in_type[i];
        const std::string name = fmt::format("x{}", i);
        plan.buffers.push_back(Buffer::input(name, type, shape, elt_fill(problem.entry, type)));
        if (problem.in_place && i < problem.entry.outputs) {
            plan.buffers.back().role = Role::in_out;
        }
        arguments.push_back(Argument::address(name));
    }
}

/// Adds the results with their tolerances.
inline void elt_add_outputs(Plan& plan, const EltProblem& problem, std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < elt_most_outputs; ++i) {
        const bool used = i < problem.entry.outputs;
        arguments.push_back(Argument::address(problem.result(used ? i : 0)));
        if (!used) {
            continue;
        }
        if (!problem.in_place) {
            plan.buffers.push_back(Buffer::output(problem.result(i), problem.out_type, problem.shape));
        }
        // Float arithmetic of a few elementary functions; half where the arithmetic is in half.
        const double steps = problem.compute == EltCompute::f16 ? 4e-3 : 1e-5;
        Tolerance tolerance = rounded_once(problem.result(i), problem.out_type, steps);
        tolerance.relative = std::max(tolerance.relative, problem.compute == EltCompute::f16 ? 0x1p-9 : 1e-5);
        if (isa::bits(problem.out_type) <= 8 || problem.out_type == isa::DataType::int32) {
            tolerance = {.output = tolerance.output};
        }
        plan.tolerances.push_back(tolerance);
    }
}

/// Buffers, launch, work and reference of a problem, cut by `tiling` for so many cores.
[[nodiscard]] inline Plan elt_plan(const EltProblem& problem, const EltTiling& tiling, std::uint32_t blocks) {
    Plan plan;
    plan.problem =
        fmt::format("{} {} {}", problem.entry.name, text(problem.shape), isa::name(problem.out_type));
    std::vector<Argument> arguments;
    elt_add_inputs(plan, problem, arguments);
    elt_add_outputs(plan, problem, arguments);
    if (tiling.lists > 0) {
        Buffer lists = Buffer::input("lists", isa::DataType::int64, {tiling.lists / 8}, fill::Zeros{});
        lists.control = true;
        plan.buffers.push_back(lists);
    }
    arguments.push_back(Argument::address(tiling.lists > 0 ? "lists" : problem.result(0)));
    arguments.push_back(Argument::of(tiling));
    plan.launches = {{.entry = "elementwise",
                      .blocks = blocks,
                      .cores = ascendsim::CoreUse::aiv,
                      .arguments = std::move(arguments)}};
    plan.work = {.vector_flops = problem.entry.operations * static_cast<double>(elements(problem.shape)),
                 .vector_type = isa::DataType::float32,
                 .gm_bytes = least_traffic(plan.buffers)};
    plan.reference = [problem](ReferenceData& data) { elt_expect(problem, data); };
    return plan;
}

}  // namespace ascendsim::host
