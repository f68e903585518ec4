// SPDX-License-Identifier: Apache-2.0
#include "networks/run/magnitudes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace ascendsim::networks {
namespace {

using Kinds = std::set<std::string, std::less<>>;

constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Results of at most 1.
const Kinds& unit_operators() {
    static const Kinds kinds{
        "Cos", "Erf", "HardSigmoid", "Hardmax", "Sigmoid", "Sign", "Sin", "Softmax", "Softsign", "Tanh"};
    return kinds;
}

/// Results whose size does not depend on that of the operand: scales are taken for those that training gives
/// them, near 1, and running statistics for those of the operand.
const Kinds& normalisations() {
    static const Kinds kinds{"BatchNormalization",
                             "InstanceNormalization",
                             "LayerNormalization",
                             "LpNormalization",
                             "MeanVarianceNormalization"};
    return kinds;
}

/// Results that are elements of the first operand, or between some of them and 0.
const Kinds& moves() {
    static const Kinds kinds{
        "Abs",       "AveragePool", "Cast",           "DepthToSpace", "Dropout",           "Expand",
        "Flatten",   "Gather",      "GatherElements", "GatherND",     "GlobalAveragePool", "GlobalMaxPool",
        "HardSwish", "Identity",    "MaxPool",        "Neg",          "ReduceMax",         "ReduceMean",
        "ReduceMin", "Relu",        "Reshape",        "Slice",        "SpaceToDepth",      "Split",
        "Squeeze",   "Tile",        "Transpose",      "Trilu",        "Unsqueeze"};
    return kinds;
}

double most_of(const std::vector<Bounded>& operands, std::size_t index) {
    return index < operands.size() && operands[index].tensor != nullptr ? operands[index].most : 0.0;
}

double largest_of(const std::vector<Bounded>& operands) {
    double most = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        most = std::max(most, most_of(operands, i));
    }
    return most;
}

/// Of a known divisor, the least magnitude.
double least_of(const std::vector<Bounded>& operands, std::size_t index) {
    if (index >= operands.size() || operands[index].tensor == nullptr || !operands[index].tensor->known()) {
        return 0;
    }
    double least = unbounded;
    for (const double value : *operands[index].tensor->values) {
        least = std::min(least, std::abs(value));
    }
    return least;
}

/// The number that bounds a Clip on one side: an attribute in older opsets.
std::optional<double> limit_of(const Node& node,
                               const std::vector<Bounded>& operands,
                               std::string_view attribute,
                               std::size_t index) {
    if (node.has(attribute)) {
        return node.real(attribute, 0);
    }
    const bool known = index < operands.size() && operands[index].tensor != nullptr &&
                       operands[index].tensor->known() && operands[index].tensor->count() == 1;
    return known ? std::optional{operands[index].tensor->values->front()} : std::nullopt;
}

/// A limit may be farther from 0 than what it limits: one from below that is positive, from above negative.
double most_clipped(const Node& node, const std::vector<Bounded>& operands) {
    const auto low = limit_of(node, operands, "min", 1);
    const auto high = limit_of(node, operands, "max", 2);
    const double most = std::max({most_of(operands, 0), low.value_or(0), -high.value_or(0)});
    return low && high ? std::min(most, std::max(std::abs(*low), std::abs(*high))) : most;
}

/// True of a normalisation that makes its mean, too, which is as large as the operand, and what it divides
/// by.
bool states_mean(const Node& node) {
    return std::ranges::count_if(node.outputs, [](const std::string& name) { return !name.empty(); }) > 1;
}

}  // namespace

std::optional<double> beyond_half(const Tensor& tensor) {
    constexpr std::uint64_t few = 4096;
    const bool held = tensor.type == isa::DataType::half || tensor.type == isa::DataType::float32;
    if (!tensor.known() || !held || tensor.count() > few) {
        return std::nullopt;
    }
    const auto found = std::ranges::find_if(*tensor.values, [](double value) {
        return std::isfinite(value) && std::abs(value) > largest_float16;
    });
    return found != tensor.values->end() ? std::optional{*found} : std::nullopt;
}

double most_made(const Node& node, const std::vector<Bounded>& operands) {
    const std::string& op = node.op;
    if (unit_operators().contains(op)) {
        return 1;
    }
    if (op == "Atan" || op == "Log") {  // of a positive float32, from 2^-149 on, the logarithm is above -104
        return op == "Atan" ? M_PI / 2 : 104;
    }
    // States of a cell grow by 1 a step at the most.
    const bool gated = (op == "LSTM" || op == "GRU" || op == "RNN") && !node.has("activations");
    if (gated || (normalisations().contains(op) && !states_mean(node))) {
        return largest_float16;
    }
    if (moves().contains(op)) {
        return most_of(operands, 0);
    }
    if (op == "Max" || op == "Min" || op == "Mean" || op == "Concat") {
        return largest_of(operands);
    }
    if (op == "Where") {
        return std::max(most_of(operands, 1), most_of(operands, 2));
    }
    if (op == "Add" || op == "Sub") {
        return most_of(operands, 0) + most_of(operands, 1);
    }
    if (op == "Mul") {
        return most_of(operands, 0) * most_of(operands, 1);
    }
    if (op == "Div") {
        const double least = least_of(operands, 1);
        return least > 0 ? most_of(operands, 0) / least : unbounded;
    }
    if (op == "Sqrt") {
        return std::sqrt(most_of(operands, 0));
    }
    return op == "Clip" ? most_clipped(node, operands) : unbounded;
}

}  // namespace ascendsim::networks
