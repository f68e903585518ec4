// SPDX-License-Identifier: Apache-2.0
#include "networks/run/magnitudes.hpp"

#include <cctype>
#include <map>
#include <set>
#include <string>

namespace ascendsim::networks {
namespace {

using isa::DataType;
using Operands = std::vector<Ranged>;

constexpr Range unit{-1, 1};
constexpr Range share{0, 1};
constexpr Range nothing{0, 0};

/// Results that lie in a range of their own, whatever the operand.
const std::map<std::string, Range, std::less<>>& fixed_ranges() {
    static const std::map<std::string, Range, std::less<>> ranges{
        {"Cos", unit},
        {"Erf", unit},
        {"HardSigmoid", share},
        {"Hardmax", share},
        {"Sigmoid", share},
        {"Sign", unit},
        {"Sin", unit},
        {"Softmax", share},
        {"Softsign", unit},
        {"Tanh", unit},
        {"Atan", {-M_PI / 2, M_PI / 2}},
        {"Log", {-104, 104}}};  // of float32, whose positive numbers lie between 2^-149 and 2^128
    return ranges;
}

/// Results whose size does not depend on that of the operand: scales are taken for those that training gives
/// them, near 1, and running statistics for those of the operand.
bool is_normalisation(std::string_view op) {
    static const std::set<std::string, std::less<>> kinds{"BatchNormTraining",
                                                          "BatchNormalization",
                                                          "InstanceNormalization",
                                                          "LayerNormalization",
                                                          "LpNormalization",
                                                          "MeanVarianceNormalization"};
    return kinds.contains(op);
}

/// Results that are elements of the first operand, or between some of them and 0.
bool moves(std::string_view op) {
    static const std::set<std::string, std::less<>> kinds{"AveragePool",    "Cast",       "DepthToSpace",
                                                          "Expand",         "Flatten",    "Gather",
                                                          "GatherElements", "GatherND",   "GlobalAveragePool",
                                                          "GlobalMaxPool",  "Identity",   "MaxPool",
                                                          "ReduceMax",      "ReduceMean", "ReduceMin",
                                                          "Reshape",        "Slice",      "SpaceToDepth",
                                                          "Split",          "Squeeze",    "Tile",
                                                          "Transpose",      "Trilu",      "Unsqueeze"};
    return kinds.contains(op);
}

bool has(const Operands& operands, std::size_t index) {
    return index < operands.size() && operands[index].tensor != nullptr;
}

/// 0 of an operand that is left out.
Range at(const Operands& operands, std::size_t index) {
    return has(operands, index) ? operands[index].range : nothing;
}

Range magnitude(double most) {
    return {-most, most};
}

/// 0 x infinity is 0: the bound is not reached, and the factor is.
double product(double a, double b) {
    return a == 0 || b == 0 ? 0 : a * b;
}

Range multiplied(const Range& a, const Range& b) {
    const Range ends{product(a.low, b.low), product(a.low, b.low)};
    const auto with = [](const Range& range, double value) { return range.with({value, value}); };
    return with(with(with(ends, product(a.low, b.high)), product(a.high, b.low)), product(a.high, b.high));
}

Range negative(const Range& range) {
    return {-range.high, -range.low};
}

Range sum(const Range& a, const Range& b) {
    return {a.low + b.low, a.high + b.high};
}

/// By a known divisor, of which no element is 0.
Range divided(const Operands& operands) {
    if (!has(operands, 1) || !operands[1].tensor->known() || operands[1].tensor->values->empty()) {
        return {};
    }
    const std::vector<double>& divisors = *operands[1].tensor->values;
    Range inverse{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const double divisor : divisors) {
        if (divisor == 0) {
            return {};
        }
        inverse = inverse.with({1 / divisor, 1 / divisor});
    }
    return multiplied(at(operands, 0), inverse);
}

/// The number that bounds a Clip on one side: an attribute in older opsets. `none` if there is none.
Range limit_of(
    const Node& node, const Operands& operands, std::string_view attribute, std::size_t index, double none) {
    if (node.has(attribute)) {
        const double limit = node.real(attribute, 0);
        return {limit, limit};
    }
    return has(operands, index) ? operands[index].range : Range{none, none};
}

/// A limit may be farther from 0 than what it limits. Of two that contradict each other the upper one holds.
Range clipped(const Node& node, const Operands& operands) {
    const Range x = at(operands, 0);
    const Range none;
    const Range low = limit_of(node, operands, "min", 1, none.low);
    const Range high = limit_of(node, operands, "max", 2, none.high);
    return {std::min(std::max(x.low, low.low), high.low), std::min(std::max(x.high, low.high), high.high)};
}

/// What is kept in training makes up for what is dropped.
Range dropped_out(const Operands& operands) {
    const Range x = at(operands, 0).with(nothing);
    const auto number = [&](std::size_t index, double otherwise) -> std::optional<double> {
        if (!has(operands, index)) {
            return otherwise;
        }
        const Tensor& tensor = *operands[index].tensor;
        return tensor.known() && tensor.count() == 1 ? std::optional{tensor.values->front()} : std::nullopt;
    };
    constexpr double usual_ratio = 0.5;  // ONNX's default
    const std::optional<double> ratio = number(1, usual_ratio);
    if (number(2, 0) == 0.0) {  // not in training
        return x;
    }
    return ratio && *ratio < 1 ? multiplied(x, {1, 1 / (1 - std::max(*ratio, 0.0))}) : Range{};
}

/// True if the gates are sigmoids, and what they let in are tangents: the functions if none are stated.
bool has_usual_gates(const Node& node) {
    static const std::map<std::string, std::vector<std::string>, std::less<>> usual{
        {"LSTM", {"sigmoid", "tanh", "tanh"}}, {"GRU", {"sigmoid", "tanh"}}, {"RNN", {"tanh"}}};
    const auto found = usual.find(node.op);
    if (found == usual.end()) {
        return false;
    }
    const auto stated = node.attributes.find("activations");
    if (stated == node.attributes.end()) {
        return true;
    }
    const auto* const names = std::get_if<std::vector<std::string>>(&stated->second);
    for (std::size_t i = 0; names != nullptr && i < names->size(); ++i) {
        std::string name = (*names)[i];
        std::ranges::transform(
            name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (name != found->second[i % found->second.size()]) {
            return false;
        }
    }
    return names != nullptr;
}

/// A state is below 1, or a given one that no step of its sequence has replaced. A cell keeps a part of what
/// it was, and grows by 1 a step at the most.
Range state_made(const Node& node, const Operands& operands, std::size_t result) {
    if (!has_usual_gates(node)) {
        return {};
    }
    constexpr std::size_t cell = 2;  // of an LSTM's results
    const Range given = at(operands, 5);
    if (result < cell) {
        return unit.with(given);
    }
    const Tensor* const x = has(operands, 0) ? operands[0].tensor : nullptr;
    const std::size_t steps = node.integer("layout", 0) != 0 ? 1 : 0;
    if (x == nullptr || x->shape.size() <= steps) {
        return {};
    }
    return magnitude(at(operands, 6).most() + static_cast<double>(x->shape[steps]));
}

/// The mean is as large as the operand, and what is divided by is at least the root of epsilon.
Range normalised(const Node& node, const Operands& operands, std::size_t result) {
    if (result == 0) {
        return magnitude(largest_float16);
    }
    if (node.op != "LayerNormalization") {
        return {};
    }
    constexpr double usual_epsilon = 1e-5;
    return result == 1 ? at(operands, 0).with(nothing)
                       : Range{0, 1 / std::sqrt(node.real("epsilon", usual_epsilon))};
}

using Make = Range (*)(const Operands&);

/// Operators whose ranges come of the operands' alone.
const std::map<std::string, Make, std::less<>>& ranges_by_operands() {
    static const std::map<std::string, Make, std::less<>> makes{
        {"Abs",
         [](const Operands& of) {
             return Range{0, at(of, 0).most()};
         }},
        {"Neg", [](const Operands& of) { return negative(at(of, 0)); }},
        {"Relu",
         [](const Operands& of) {
             return Range{std::max(at(of, 0).low, 0.0), std::max(at(of, 0).high, 0.0)};
         }},
        {"HardSwish",
         [](const Operands& of) {
             return Range{-0.375, std::max(at(of, 0).high, 0.0)};
         }},
        {"Exp",
         [](const Operands& of) {
             return Range{0, std::exp(at(of, 0).high)};
         }},
        {"Sqrt",
         [](const Operands& of) {
             return Range{0, std::sqrt(std::max(at(of, 0).high, 0.0))};
         }},
        {"Add", [](const Operands& of) { return sum(at(of, 0), at(of, 1)); }},
        {"Sub", [](const Operands& of) { return sum(at(of, 0), negative(at(of, 1))); }},
        {"Mul", [](const Operands& of) { return multiplied(at(of, 0), at(of, 1)); }},
        {"Div", divided},
        {"Where", [](const Operands& of) { return at(of, 1).with(at(of, 2)); }},
        {"Dropout", dropped_out}};
    return makes;
}

/// Of operators of any number of operands.
std::optional<Range> range_of_many(std::string_view op, const Operands& operands) {
    if (operands.empty() || (op != "Max" && op != "Min" && op != "Mean" && op != "Concat")) {
        return std::nullopt;
    }
    Range all = at(operands, 0);
    for (std::size_t i = 1; i < operands.size(); ++i) {
        const Range& next = operands[i].range;
        all = op == "Max"   ? Range{std::max(all.low, next.low), std::max(all.high, next.high)}
              : op == "Min" ? Range{std::min(all.low, next.low), std::min(all.high, next.high)}
                            : all.with(next);
    }
    return all;
}

/// What the type can hold; without bounds for those that are wider than float16 in any case.
Range range_of_type(DataType type) {
    switch (type) {
        case DataType::boolean:
            return share;
        case DataType::int4:
            return {-8, 7};
        case DataType::int8:
            return {-128, 127};
        case DataType::uint8:
            return {0, 255};
        case DataType::int16:
            return {-32768, 32767};
        case DataType::uint16:
            return {0, 65535};
        case DataType::half:
            return magnitude(largest_float16);
        case DataType::uint32:
        case DataType::uint64:
            return {0, Range{}.high};
        case DataType::int32:
        case DataType::int64:
        case DataType::bfloat16:
        case DataType::float32:
        case DataType::float64:
            break;
    }
    return {};
}

}  // namespace

std::optional<double> beyond_half(const Tensor& tensor) {
    constexpr std::uint64_t few = 4096;
    const bool held = tensor.type == DataType::half || tensor.type == DataType::float32;
    if (!tensor.known() || !held || tensor.count() > few) {
        return std::nullopt;
    }
    const auto found = std::ranges::find_if(*tensor.values, [](double value) {
        return std::isfinite(value) && std::abs(value) > largest_float16;
    });
    return found != tensor.values->end() ? std::optional{*found} : std::nullopt;
}

Range range_of(const Tensor& tensor) {
    if (!tensor.known() || tensor.values->empty()) {
        return range_of_type(tensor.type);
    }
    std::optional<Range> range;
    for (const double value : *tensor.values) {
        if (std::isfinite(value)) {
            range = range.value_or(Range{value, value}).with({value, value});
        }
    }
    return range.value_or(nothing);
}

bool holds_flags(const Tensor& tensor) {
    return tensor.type == DataType::boolean ||
           (tensor.known() &&
            std::ranges::all_of(*tensor.values, [](double value) { return value == 0 || value == 1; }));
}

bool makes_flags(const Node& node, const std::vector<Ranged>& operands) {
    const std::string& op = node.op;
    const auto are = [&](std::size_t first) {
        return operands.size() > first && std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first),
                                                      operands.end(),
                                                      [](const Ranged& one) { return one.flags; });
    };
    if (op == "Sub") {  // 1 - flag
        return are(0) && operands[0].range == Range{1, 1};
    }
    if (op == "Mul" || op == "Max" || op == "Min" || op == "Concat") {
        return are(0);
    }
    const bool between = op == "AveragePool" || op == "GlobalAveragePool" || op == "ReduceMean";
    return op == "Where" ? are(1) : moves(op) && !between && !operands.empty() && operands[0].flags;
}

Range range_made(const Node& node, const std::vector<Ranged>& operands, std::size_t result) {
    const std::string& op = node.op;
    if (const auto fixed = fixed_ranges().find(op); fixed != fixed_ranges().end()) {
        return fixed->second;
    }
    if (op == "LSTM" || op == "GRU" || op == "RNN") {
        return state_made(node, operands, result);
    }
    if (is_normalisation(op)) {
        return normalised(node, operands, result);
    }
    if (moves(op)) {  // the second result of MaxPool are places
        return result == 0 || op == "Split" ? at(operands, 0).with(nothing) : Range{};
    }
    if (op == "Clip") {
        return clipped(node, operands);
    }
    if (const std::optional<Range> range = range_of_many(op, operands)) {
        return *range;
    }
    const auto make = ranges_by_operands().find(op);
    return make != ranges_by_operands().end() ? make->second(operands) : Range{};
}

}  // namespace ascendsim::networks
