// SPDX-License-Identifier: Apache-2.0
// Operators of a network's level that a benchmark writes with several of the library's, or along axes that
// its rows do not say.
#include <array>

#include "app/validation/rows/operator_rows.hpp"
#include "app/validation/rows/row_words.hpp"

namespace ascendsim::validation {
namespace {

/// One of the library's operators, as a row of its own would state it.
struct Step {
    const char* kernel;
    std::string shape;
    const char* notes = "";
};

std::string text_of(const Extents& shape) {
    std::string text;
    for (const std::uint64_t extent : shape) {
        text += (text.empty() ? "" : "x") + std::to_string(extent);
    }
    return text;
}

/// The steps one after the other; behind the first, each finds in L2 what the one before has written.
Adapted composed(const Row& row,
                 const Context& context,
                 const std::vector<Step>& steps,
                 std::string assumed) {
    Case result;
    for (const Step& step : steps) {
        Measurement measurement = *row.measurement;
        measurement.kernel = step.kernel;
        measurement.shape = step.shape;
        measurement.notes = step.notes;
        Adapted adapted = operator_case(Row{measurement}, context);
        if (std::holds_alternative<WhyNot>(adapted)) {
            return adapted;
        }
        for (KernelRun& run : std::get<Case>(adapted).runs) {
            if (!result.runs.empty() && !run.warm_l2) {
                run.set.push_back({"l2.state", "\"chained\""});
            }
            result.runs.push_back(std::move(run));
        }
    }
    result.assumed = std::move(assumed);
    return result;
}

/// Square, mean, the small number added, root, division: torch.sqrt(torch.mean(x ** 2, axis) + eps), x / rms.
Adapted root_mean_square(const Row& row, const Context& context, const Extents& shape, std::size_t axis) {
    Extents mean = shape;
    mean[axis] = 1;
    const std::string whole = text_of(shape);
    const std::string part = text_of(mean);
    // Our kernel repeats an operand along its first axes or its last; one root for each inner place moves as
    // much as all.
    const std::uint64_t inner = product(shape, axis + 1, shape.size());
    const std::string division =
        inner == 1 ? whole + "; " + part
                   : text_of({product(shape, 0, axis + 1), inner}) + "; " + text_of({inner});
    constexpr std::array notes{
        "dim: 0", "dim: 1", "dim: 2", "dim: 3", "dim: 4", "dim: 5", "dim: 6", "dim: 7"};
    if (axis >= notes.size()) {
        return WhyNot{"tensors of up to eight axes are normalised"};
    }
    return composed(row,
                    context,
                    {{"Square", whole},
                     {"ReduceMean", whole, notes[axis]},
                     {"Adds", part},
                     {"Sqrt", part},
                     {"RealDiv", division}},
                    "a square, a mean, an addition, a root and a division");
}

}  // namespace

std::optional<Adapted> composed_case(const Row& row, const Context& context) {
    const Extents* const x = row.shape.tensor(0);
    const bool alone = row.shape.arguments.size() < 2;
    // The definitions of its operators are public, KernelBench/level1 of ScalingIntelligence/KernelBench.
    const bool kernel_bench = lower(row.measurement->source).find("kernelbench") != std::string::npos;
    if (x == nullptr || x->size() < 2 || !alone) {
        return std::nullopt;
    }
    if (row.kernel_has({"composed"}) && row.kernel_has({"rms"})) {
        return root_mean_square(row, context, *x, kernel_bench ? 1 : x->size() - 1);
    }
    if (!kernel_bench) {
        return std::nullopt;
    }
    const std::string whole = text_of(*x);
    if (operator_is(row, {"swish"})) {
        return composed(row,
                        context,
                        {{"Sigmoid", whole}, {"Mul", whole + "; " + whole}},
                        "x times its sigmoid, as KernelBench writes it");
    }
    if (operator_is(row, {"layernorm"})) {
        const std::string gamma = text_of({x->begin() + 1, x->end()});
        return composed(row,
                        context,
                        {{"LayerNormV3", whole + "; " + gamma + "; " + gamma}},
                        "over all axes but the first, as KernelBench states it");
    }
    return std::nullopt;
}

}  // namespace ascendsim::validation
