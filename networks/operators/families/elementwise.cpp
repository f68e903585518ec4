// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element, by the kernel of the same name. Known operands are folded.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "networks/operators/operators.hpp"

namespace ascendsim::networks {
namespace {

using Fold = double (*)(double, double);

/// The element of `tensor` that lies at place `index` of `shape`, to which it is spread.
double spread_element(const Tensor& tensor, const host::Shape& shape, std::uint64_t index) {
    std::uint64_t place = 0;
    std::uint64_t stride = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {  // from the last axis
        const std::uint64_t at = index % shape[shape.size() - 1 - i];
        index /= shape[shape.size() - 1 - i];
        if (i < tensor.shape.size()) {
            const std::uint64_t extent = tensor.shape[tensor.shape.size() - 1 - i];
            place += (extent == 1 ? 0 : at) * stride;
            stride *= extent;
        }
    }
    return (*tensor.values)[place];
}

std::optional<Tensor> folded(const Tensor& a, const Tensor* b, const Tensor& like, Fold fold) {
    if (fold == nullptr || !a.known() || (b != nullptr && !b->known())) {
        return std::nullopt;
    }
    std::vector<double> values(like.count());
    for (std::uint64_t i = 0; i < values.size(); ++i) {
        const double x = spread_element(a, like.shape, i);
        values[i] = fold(x, b != nullptr ? spread_element(*b, like.shape, i) : 0);
    }
    return constant(like.type, like.shape, std::move(values));
}

bool is_integer(isa::DataType type) {
    using D = isa::DataType;
    return type != D::half && type != D::bfloat16 && type != D::float32 && type != D::float64;
}

Lowered binary(const Operator& with, std::string_view op, bool predicate, Fold fold) {
    const Tensor& a = with.input(0);
    const Tensor& b = with.input(1);
    const Tensor like{.type = predicate ? isa::DataType::boolean : a.type,
                      .shape = broadcast(a.shape, b.shape),
                      .values = {}};
    if (std::optional<Tensor> known = folded(a, &b, like, fold)) {
        const bool whole = is_integer(a.type) && op == "div";
        if (whole) {
            std::vector<double> values = *known->values;
            std::ranges::transform(values, values.begin(), [](double value) { return std::trunc(value); });
            known = constant(like.type, like.shape, std::move(values));
        }
        return {.outputs = {*known}, .tasks = {}, .note = {}};
    }
    const bool commutes = op == "add" || op == "mul";
    const bool turned = a.shape != like.shape && b.shape == like.shape && commutes;
    const std::array operands{turned ? &b : &a, turned ? &a : &b};
    return {.outputs = {like}, .tasks = elementwise_tasks(op, like.shape, operands, like.type), .note = {}};
}

Lowered unary(const Operator& with, std::string_view op, Fold fold) {
    const Tensor& x = with.input(0);
    const Tensor like{.type = x.type, .shape = x.shape, .values = {}};
    if (std::optional<Tensor> known = folded(x, nullptr, like, fold)) {
        return {.outputs = {*known}, .tasks = {}, .note = {}};
    }
    const std::array operands{&x};
    return {.outputs = {like}, .tasks = {elementwise_task(op, x.shape, operands, x.type)}, .note = {}};
}

/// A unary operator with scalars of its own.
Lowered scaled(const Operator& with, std::string_view op, const std::vector<double>& scalars) {
    Lowered lowered = unary(with, op, nullptr);
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        lowered.tasks.front().knobs.emplace_back(fmt::format("p{}", i), scalars[i]);
    }
    return lowered;
}

/// A bound of Clip, which older opsets state as an attribute.
double bound_of(const Operator& with, std::string_view name, std::size_t index, double otherwise) {
    if (!with.has(index)) {
        return with.node.real(name, otherwise);
    }
    const Tensor& bound = with.input(index);
    if (!bound.known() || bound.count() != 1) {
        throw Refused{"the bound '{}' is not known before the network runs", name};
    }
    return bound.values->front();
}

Lowered clip(const Operator& with) {
    constexpr double most = 65504;  // of a half: as good as no bound
    return scaled(with, "clamp", {bound_of(with, "min", 1, -most), bound_of(with, "max", 2, most)});
}

Lowered where(const Operator& with) {
    const Tensor& x = with.input(1);
    const Tensor like{.type = x.type,
                      .shape = broadcast(broadcast(with.input(0).shape, x.shape), with.input(2).shape),
                      .values = {}};
    const std::array operands{&with.input(0), &x, &with.input(2)};
    if (std::ranges::all_of(operands, [](const Tensor* tensor) { return tensor->known(); })) {
        std::vector<double> values(like.count());
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const bool yes = spread_element(*operands[0], like.shape, i) != 0;
            values[i] = spread_element(*operands[yes ? 1 : 2], like.shape, i);
        }
        return {.outputs = {constant(like.type, like.shape, std::move(values))}, .tasks = {}, .note = {}};
    }
    Lowered lowered{.outputs = {like}, .tasks = elementwise_tasks("where", like.shape, operands, x.type)};
    lowered.tasks.back().knobs.emplace_back("out_dtype", type_word(x.type, true));
    return lowered;
}

Lowered cast(const Operator& with) {
    using D = isa::DataType;
    // By the numbers of TensorProto.DataType in onnx.proto.
    static const std::map<std::int64_t, D> types{{1, D::float32},
                                                 {2, D::uint8},
                                                 {3, D::int8},
                                                 {4, D::uint16},
                                                 {5, D::int16},
                                                 {6, D::int32},
                                                 {7, D::int64},
                                                 {9, D::boolean},
                                                 {10, D::half},
                                                 {11, D::float64},
                                                 {12, D::uint32},
                                                 {13, D::uint64},
                                                 {16, D::bfloat16}};
    const auto to = types.find(with.node.integer("to", 0));
    if (to == types.end()) {
        throw Refused{"a cast to a type that is no number"};
    }
    const Tensor& x = with.input(0);
    Tensor result = x;
    result.type = to->second;
    if (x.known()) {
        std::vector<double> values = *x.values;
        for (double& value : values) {
            value = result.type == D::boolean ? static_cast<double>(value != 0)
                    : is_integer(result.type) ? std::trunc(value)
                                              : value;
        }
        return {.outputs = {constant(result.type, x.shape, std::move(values))}, .tasks = {}, .note = {}};
    }
    if (x.type == result.type) {
        return view(x, x.shape);
    }
    const std::array operands{&x};
    Lowered lowered{.outputs = {result}, .tasks = {elementwise_task("copy", x.shape, operands, result.type)}};
    if (result.type == D::boolean) {
        lowered.tasks.front().knobs.emplace_back("out_dtype", std::string{"bool"});
    }
    return lowered;
}

Lowered sum(const Operator& with) {
    Lowered lowered{.outputs = {with.input(0)}, .tasks = {}, .note = {}};
    for (std::size_t i = 1; i < with.inputs.size(); ++i) {
        const Tensor before = lowered.outputs.front();
        const std::array operands{&before, &with.input(i)};
        lowered.outputs.front().shape = broadcast(before.shape, with.input(i).shape);
        lowered.outputs.front().values = nullptr;
        const std::vector<Task> tasks =
            elementwise_tasks("add", lowered.outputs.front().shape, operands, before.type);
        lowered.tasks.insert(lowered.tasks.end(), tasks.begin(), tasks.end());
    }
    return lowered;
}

Lower unary_of(std::string_view op, Fold fold = nullptr) {
    return [op, fold](const Operator& with) { return unary(with, op, fold); };
}

Lower binary_of(std::string_view op, Fold fold, bool predicate = false) {
    return [op, fold, predicate](const Operator& with) { return binary(with, op, predicate, fold); };
}

Operators binary_operators() {
    return {
        {"Add", binary_of("add", [](double a, double b) { return a + b; })},
        {"Sub", binary_of("sub", [](double a, double b) { return a - b; })},
        {"Mul", binary_of("mul", [](double a, double b) { return a * b; })},
        {"Div", binary_of("div", [](double a, double b) { return a / b; })},
        {"Pow", binary_of("pow", [](double a, double b) { return std::pow(a, b); })},
        {"Less",
         binary_of(
             "less", [](double a, double b) { return a < b ? 1.0 : 0.0; }, true)},
        {"LessOrEqual",
         binary_of(
             "less_equal", [](double a, double b) { return a <= b ? 1.0 : 0.0; }, true)},
        {"Greater",
         binary_of(
             "greater", [](double a, double b) { return a > b ? 1.0 : 0.0; }, true)},
        {"GreaterOrEqual",
         binary_of(
             "greater_equal", [](double a, double b) { return a >= b ? 1.0 : 0.0; }, true)},
        {"Equal",
         binary_of(
             "equal", [](double a, double b) { return a == b ? 1.0 : 0.0; }, true)},
        {"And",
         binary_of(
             "logical_and", [](double a, double b) { return a * b; }, true)},
        {"Or",
         binary_of(
             "logical_or", [](double a, double b) { return std::max(a, b); }, true)},
    };
}

}  // namespace

Operators elementwise_operators() {
    Operators all = binary_operators();
    all.merge(Operators{
        {"Abs", unary_of("abs")},
        {"Neg", unary_of("neg", [](double x, double) { return -x; })},
        {"Relu", unary_of("relu")},
        {"Exp", unary_of("exp")},
        {"Log", unary_of("ln")},
        {"Sqrt", unary_of("sqrt", [](double x, double) { return std::sqrt(x); })},
        {"Reciprocal", unary_of("reciprocal")},
        {"Sigmoid", unary_of("sigmoid")},
        {"Tanh", unary_of("tanh")},
        {"Softplus", unary_of("softplus")},
        {"Softsign", unary_of("softsign")},
        {"Erf", unary_of("erf")},
        {"HardSwish", unary_of("hard_swish")},
        {"Sign", unary_of("sign")},
        {"Floor", unary_of("floor", [](double x, double) { return std::floor(x); })},
        {"Ceil", unary_of("ceil", [](double x, double) { return std::ceil(x); })},
        {"Round", unary_of("round")},
        {"Sin", unary_of("sin")},
        {"Cos", unary_of("cos")},
        {"Not", unary_of("logical_not")},
        {"Elu", [](const Operator& with) { return scaled(with, "elu", {with.node.real("alpha", 1)}); }},
        {"LeakyRelu",
         [](const Operator& with) { return scaled(with, "leaky_relu", {with.node.real("alpha", 0.01)}); }},
        {"HardSigmoid",
         [](const Operator& with) {
             return scaled(with, "hard_sigmoid", {with.node.real("alpha", 0.2), with.node.real("beta", 0.5)});
         }},
        {"Clip", clip},
        {"Where", where},
        {"Cast", cast},
        {"Sum", sum},
    });
    return all;
}

}  // namespace ascendsim::networks
