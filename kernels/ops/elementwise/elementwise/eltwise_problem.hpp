// SPDX-License-Identifier: Apache-2.0
// What kernels/ops/elementwise/elementwise/elementwise.cpp is to compute: operands, their types and how they
// are broadcast, read from the knobs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "kernels/ops/elementwise/elementwise/eltwise_host.hpp"
#include "kernels/plan/knob.hpp"
#include "kernels/shared/float_types.hpp"
#include "models/spec/chip_spec.hpp"

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

/// How an operand spreads to the extents of `result`, aligned at the last; nothing if it does so in no way
/// the kernel knows.
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

/// The type the arithmetic is done in: as the knob says, or as operation and operands allow.
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

/// Adds operand `i` of a type. Throws the error of its shape unless it broadcasts to the result's as others
/// do.
inline void elt_add_operand(EltProblem& problem, const Knobs& knobs, std::size_t i, isa::DataType type) {
    const std::string name = fmt::format("shape{}", i);
    problem.in.push_back(knobs.shape(name).empty() ? problem.shape : knobs.shape(name));
    problem.in_type.push_back(type);
    const bool is_mask = problem.entry.op == EltOp::dropout_mask && i == 1;
    const auto how = is_mask ? EltBroadcast{} : elt_broadcast(problem.in.back(), problem.shape);
    const bool split = problem.rows != 1 || problem.width != elements(problem.shape);
    if (!how || (how->width != 0 && split && how->width != problem.width)) {
        throw knobs.error(
            name, fmt::format("does not broadcast to {} in one way with the others", text(problem.shape)));
    }
    problem.form.push_back(how->form);
    if (how->width != 0) {
        problem.width = how->width;
        problem.rows = elements(problem.shape) / how->width;
        problem.period = std::max(problem.period, how->period);
    }
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
        elt_add_operand(problem, knobs, i, i == 0 ? first : type_of(fmt::format("dtype{}", i)));
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

}  // namespace ascendsim::host
