// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "kernels/common/eltwise_host.hpp"
#include "kernels/common/float_types.hpp"
#include "kernels/host/knob.hpp"
#include "kernels/host/plan.hpp"
#include "kernels/host/work_split.hpp"

namespace ascendsim::host {

/// Types an operand may have.
[[nodiscard]] inline std::vector<isa::DataType> elt_types() {
    using D = isa::DataType;
    return {D::half, D::bfloat16, D::float32, D::int8, D::uint8, D::boolean, D::int16, D::int32, D::int64};
}

/// The same as words, behind "same": the first operand's.
[[nodiscard]] inline std::vector<std::string> elt_type_words() {
    std::vector<std::string> words{"same"};
    for (const isa::DataType type : elt_types()) {
        words.emplace_back(isa::name(type));
    }
    return words;
}

/// What is to be computed on what.
struct EltProblem {
    EltEntry entry;
    Shape shape;  // of the results
    std::vector<Shape> in;
    std::vector<isa::DataType> in_type;
    isa::DataType out_type = isa::DataType::half;
    EltCompute compute = EltCompute::f32;
    std::uint64_t rows = 1;
    std::uint64_t width = 0;
    std::uint64_t period = 1;
    std::vector<EltForm> form;
    std::array<double, 8> parameter{};
    bool in_place = false;  // the results take the place of the first operands

    /// The buffer of result i.
    [[nodiscard]] std::string result(std::size_t i) const {
        return fmt::format("{}{}", in_place ? 'x' : 'y', i);
    }
};

/// Where an operand's extents that are not 1 lie in the results: before, between, behind.
struct EltBroadcast {
    EltForm form = EltForm::dense;
    std::uint64_t width = 0;   // behind
    std::uint64_t period = 0;  // of a column operand
};

[[nodiscard]] inline std::optional<EltBroadcast> elt_broadcast(const Shape& operand, const Shape& result) {
    const std::uint64_t count = elements(operand);
    if (count == elements(result)) {
        return EltBroadcast{.form = EltForm::dense};
    }
    if (count == 1) {
        return EltBroadcast{.form = EltForm::scalar};
    }
    if (operand.size() > result.size()) {
        return std::nullopt;
    }
    Shape padded(result.size() - operand.size(), 1);
    padded.insert(padded.end(), operand.begin(), operand.end());
    std::size_t last = result.size();
    std::uint64_t behind = 1;
    while (last > 0 && padded[last - 1] == 1) {
        behind *= result[--last];
    }
    std::uint64_t inside = 1;
    while (last > 0 && padded[last - 1] == result[last - 1]) {
        inside *= result[--last];
    }
    if (inside != count) {
        return std::nullopt;  // ones between extents, or extents that do not fit
    }
    return behind == 1 ? EltBroadcast{.form = EltForm::row, .width = inside}
                       : EltBroadcast{.form = EltForm::column, .width = behind, .period = inside};
}

[[nodiscard]] inline EltCompute elt_compute(const Knobs& knobs, const EltProblem& problem) {
    using D = isa::DataType;
    const auto all = [&](D type) {
        return std::ranges::all_of(problem.in_type, [&](D t) { return t == type; });
    };
    const auto bytes = [](D t) { return isa::bits(t) == 8; };
    const D first = problem.in_type.empty() ? problem.out_type : problem.in_type[0];
    if (knobs.word("compute") == "auto") {
        if (problem.entry.whole_too && (all(D::int32) || all(D::int64))) {
            const bool fits =
                problem.out_type == first || problem.out_type == D::int64 || problem.out_type == D::int32;
            if (first == D::int32 || first == D::int64) {
                return fits ? EltCompute::i32 : EltCompute::f32;
            }
        }
        if (problem.entry.whole_too && first == D::int16 && all(D::int16) && problem.out_type == D::int16) {
            return EltCompute::i16;
        }
        const bool narrow =
            std::ranges::all_of(problem.in_type, [&](D t) { return t == D::half || bytes(t); });
        const bool out =
            problem.out_type == D::half || bytes(problem.out_type) || problem.entry.op == EltOp::copy;
        if (problem.entry.half_too && narrow && out && problem.out_type != D::int64) {
            return EltCompute::f16;
        }
    }
    return EltCompute::f32;
}

/// Reads the knobs. Throws their errors for shapes that do not go together.
[[nodiscard]] inline EltProblem elt_problem(const Knobs& knobs, const ChipSpec& chip) {
    EltProblem problem{.entry = elt_entry(knobs.word("op")), .shape = knobs.shape("shape")};
    const isa::DataType first = checked_float_type(knobs, chip);
    const auto type_of = [&](const std::string& knob) {
        return knobs.word(knob) == "same" ? first : parse_type(knobs.word(knob), knob);
    };
    problem.out_type = type_of("out_dtype");
    if (EltIsPredicate(problem.entry.op) && knobs.word("out_dtype") == "same") {
        problem.out_type = isa::DataType::boolean;
    }
    problem.width = elements(problem.shape);
    for (std::uint8_t i = 0; i < problem.entry.inputs; ++i) {
        const std::string name = fmt::format("shape{}", i);
        problem.in.push_back(knobs.shape(name).empty() ? problem.shape : knobs.shape(name));
        problem.in_type.push_back(i == 0 ? first : type_of(fmt::format("dtype{}", i)));
        const bool is_mask = problem.entry.op == EltOp::dropout_mask && i == 1;
        const auto how = is_mask ? EltBroadcast{} : elt_broadcast(problem.in.back(), problem.shape);
        const bool split = problem.rows != 1 || problem.width != elements(problem.shape);
        if (!how || (how->width != 0 && split && how->width != problem.width)) {
            throw knobs.error(
                name,
                fmt::format("does not broadcast to {} in one way with the others", text(problem.shape)));
        }
        problem.form.push_back(how->form);
        if (how->width != 0) {
            problem.width = how->width;
            problem.rows = elements(problem.shape) / how->width;
            problem.period = std::max(problem.period, how->period);
        }
    }
    if (problem.rows != 1 && chip.arch != "2201" && problem.width % 32 != 0) {
        throw knobs.error("shape",
                          "rows must be a multiple of 32 elements: the chip copies whole blocks only");
    }
    if (std::ranges::find(problem.form, EltForm::column) == problem.form.end()) {
        problem.period = std::max<std::uint64_t>(problem.rows, 1);
    }
    for (std::size_t i = 0; i < 6; ++i) {
        problem.parameter.at(i) = static_cast<float>(knobs.real(fmt::format("p{}", i)));
    }
    problem.compute = elt_compute(knobs, problem);
    problem.in_place = knobs.flag("in_place");
    for (std::size_t i = 0; problem.in_place && i < problem.entry.outputs; ++i) {
        if (i >= problem.in.size() || problem.form[i] != EltForm::dense ||
            problem.in_type[i] != problem.out_type) {
            throw knobs.error("in_place", "needs an operand of the same shape and type for each result");
        }
    }
    return problem;
}

/// Tiles a problem: flat where nothing is broadcast along rows, else whole rows, or pieces of long ones.
[[nodiscard]] inline EltTiling elt_tiling(const EltProblem& problem,
                                          const Knobs& knobs,
                                          const ChipSpec& chip,
                                          std::uint32_t& blocks) {
    constexpr std::uint64_t least_share = 1024;  // elements, as the operator library starts cores
    constexpr std::uint64_t fixed = 8192;
    EltTiling t{.rows = problem.rows,
                .width = problem.width,
                .period = problem.period,
                .buffers = knobs.count("buffers"),
                .bypass_l2 = knobs.flag("l2_bypass") ? 1U : 0U,
                .by_rows = knobs.word("broadcast") == "rows" ? 1U : 0U,
                .lists = knobs.count("lists") / 8 * 8,
                .op = problem.entry.op,
                .compute = problem.compute,
                .inputs = problem.entry.inputs,
                .outputs = problem.entry.outputs,
                .scratch = problem.entry.scratch};
    std::ranges::transform(problem.parameter, t.parameter, [](double p) { return static_cast<float>(p); });
    const std::uint64_t size = EltComputeSize(t.compute);
    std::uint64_t local = t.scratch * size;  // B of an element of a tile
    std::uint64_t narrow = 8;                // B of the narrowest element that is copied
    std::uint64_t line_of_bits = 1;
    const auto account = [&](EltType type, bool dense, bool wide) {
        const std::uint64_t bytes = EltBytes(type, 8) / 8;
        if (dense) {
            local += t.buffers * std::max<std::uint64_t>(bytes, 1);
            narrow = std::min(narrow, std::max<std::uint64_t>(bytes, 1));
            line_of_bits = type == EltType::bits ? 4096 : line_of_bits;
        }
        local += wide ? size : 0;
        const bool two_steps = bytes == 1 && size == 4;
        t.via = t.via != 0 || two_steps || (type == EltType::bf16 && t.compute == EltCompute::f16) ? 1 : 0;
    };
    for (std::uint8_t i = 0; i < t.inputs; ++i) {
        t.in_type[i] = t.op == EltOp::dropout_mask && i == 1 ? EltType::bits : elt_type(problem.in_type[i]);
        t.form[i] = problem.form[i];
        const bool dense = t.form[i] == EltForm::dense;
        account(t.in_type[i], dense, !dense || !EltIsNative(t.in_type[i], t.compute));
        local += t.form[i] == EltForm::row ? EltBytes(t.in_type[i], 1) : 0;
    }
    for (std::uint8_t i = 0; i < t.outputs; ++i) {
        t.out_type[i] = elt_type(problem.out_type);
        account(t.out_type[i], true, EltIsPredicate(t.op) || !EltIsNative(t.out_type[i], t.compute));
    }
    local += t.via != 0 ? 4 : 0;
    const std::uint64_t total = problem.rows * problem.width;
    const std::uint64_t line = std::max(512 / narrow, line_of_bits);
    const std::uint64_t room = std::max<std::uint64_t>((chip.buffers.ub - fixed) / local / line, 1);  // lines
    const std::uint64_t wanted = knobs.count("tile") == 0 ? room * line : knobs.count("tile");
    if (wanted > room * line || wanted % (64 / std::min<std::uint64_t>(narrow, 2)) != 0) {
        throw knobs.error("tile", fmt::format("must be a multiple of 64 B, up to {} elements", room * line));
    }
    if (problem.rows == 1) {
        const std::uint64_t lines = ceil_div(total, line);
        blocks = blocks_or(knobs.count("blocks"), chip, total, least_share);
        t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(lines, blocks), 1) * line;
        const std::uint64_t quarter =
            std::max<std::uint64_t>(round_up(ceil_div<std::uint64_t>(t.share, 4), line), 4096 / narrow);
        t.tile = static_cast<std::uint32_t>(
            knobs.count("tile") != 0 ? wanted : std::min(wanted, round_up(quarter, line)));
        t.chunk = t.pitch = t.tile;
        return t;
    }
    const std::uint64_t block = 32 / narrow;
    blocks = blocks_or(knobs.count("blocks"),
                       chip,
                       problem.rows,
                       ceil_div(least_share, std::max<std::uint64_t>(problem.width, 1)));
    t.share = std::max<std::uint64_t>(ceil_div<std::uint64_t>(problem.rows, blocks), 1);
    t.chunk = static_cast<std::uint32_t>(std::min<std::uint64_t>(problem.width, wanted));
    t.pitch = static_cast<std::uint32_t>(round_up(std::uint64_t{t.chunk}, block));
    std::uint64_t fits = std::max<std::uint64_t>(wanted / t.pitch, 1);
    if (std::ranges::find(problem.form, EltForm::column) != problem.form.end()) {
        // A row's value comes in 8 B and is spread over a block of 32 B; what is `fixed` has room for the rest alone.
        const std::uint64_t row = t.pitch * local + t.buffers * 8 + 32;
        fits = std::clamp<std::uint64_t>((chip.buffers.ub - fixed / 2) / row, 1, fits);
    }
    const std::uint64_t worth = std::max<std::uint64_t>(ceil_div<std::uint64_t>(t.share, 4),
                                                        ceil_div<std::uint64_t>(4096 / narrow, t.pitch));
    t.tile = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(fits, worth), 1, 248));
    return t;
}

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
    const auto at = [&](std::size_t i, std::uint64_t e) -> double {
        if (problem.entry.op == EltOp::dropout_mask && i == 1) {
            return static_cast<double>((static_cast<unsigned>((*x[1])[e / 8]) >> (e % 8)) & 1U);
        }
        switch (problem.form[i]) {
            case EltForm::dense:
                return (*x[i])[e];
            case EltForm::scalar:
                return (*x[i])[0];
            case EltForm::row:
                return (*x[i])[e % problem.width];
            case EltForm::column:
                return (*x[i])[e / problem.width % problem.period];
        }
        return 0;
    };
    std::array<double, elt_most_inputs> in{};
    std::array<double, elt_most_outputs> out{};
    for (std::uint64_t e = 0; e < y[0]->size(); ++e) {
        for (std::size_t i = 0; i < inputs; ++i) {
            in.at(i) = at(i, e);
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

[[nodiscard]] inline Plan elt_plan(const EltProblem& problem, const EltTiling& tiling, std::uint32_t blocks) {
    Plan plan;
    plan.problem =
        fmt::format("{} {} {}", problem.entry.name, text(problem.shape), isa::name(problem.out_type));
    std::vector<Argument> arguments;
    for (std::size_t i = 0; i < elt_most_inputs; ++i) {
        const bool used = i < problem.entry.inputs;
        if (used) {
            const bool bits = problem.entry.op == EltOp::dropout_mask && i == 1;
            const Shape shape =
                bits ? Shape{ceil_div<std::uint64_t>(elements(problem.shape), 8)} : problem.in[i];
            const isa::DataType type = bits ? isa::DataType::uint8 : problem.in_type[i];
            plan.buffers.push_back(
                Buffer::input(fmt::format("x{}", i), type, shape, elt_fill(problem.entry, type)));
            if (problem.in_place && i < problem.entry.outputs) {
                plan.buffers.back().role = Role::in_out;
            }
        }
        arguments.push_back(used ? Argument::address(fmt::format("x{}", i))
                                 : Argument::address(problem.result(0)));  // unused
    }
    for (std::size_t i = 0; i < elt_most_outputs; ++i) {
        const bool used = i < problem.entry.outputs;
        if (used) {
            if (!problem.in_place) {
                plan.buffers.push_back(Buffer::output(problem.result(i), problem.out_type, problem.shape));
            }
            // Float arithmetic of a few elementary functions; half where the arithmetic is in half.
            const double steps = problem.compute == EltCompute::f16 ? 4e-3 : 1e-5;
            Tolerance tolerance = rounded_once(problem.result(i), problem.out_type, steps);
            tolerance.relative =
                std::max(tolerance.relative, problem.compute == EltCompute::f16 ? 0x1p-9 : 1e-5);
            if (isa::bits(problem.out_type) <= 8 || problem.out_type == isa::DataType::int32) {
                tolerance = {.output = tolerance.output};
            }
            plan.tolerances.push_back(tolerance);
        }
        arguments.push_back(Argument::address(problem.result(used ? i : 0)));
    }
    if (tiling.lists > 0) {
        Buffer lists = Buffer::input("lists", isa::DataType::int64, {tiling.lists / 8}, fill::Zeros{});
        lists.control = true;
        plan.buffers.push_back(lists);
    }
    arguments.push_back(Argument::address(tiling.lists > 0 ? "lists" : problem.result(0)));
    arguments.push_back(Argument::of(tiling));
    plan.launches = {
        {.entry = "elementwise", .blocks = blocks, .cores = CoreUse::aiv, .arguments = std::move(arguments)}};
    std::uint64_t bytes = 0;
    for (const Buffer& buffer : plan.buffers) {
        bytes += buffer.bytes();
    }
    plan.work = {.vector_flops = problem.entry.operations * static_cast<double>(elements(problem.shape)),
                 .vector_type = isa::DataType::float32,
                 .gm_bytes = bytes};
    plan.reference = [problem](ReferenceData& data) { elt_expect(problem, data); };
    return plan;
}

}  // namespace ascendsim::host
