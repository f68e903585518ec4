// SPDX-License-Identifier: Apache-2.0
// Operators that work element by element: by the kernel `elementwise` where it does the same, else by a
// generated kernel.
#include <algorithm>
#include <cmath>
#include <optional>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

Lowered one(const Operator& with, Op op, std::vector<double> constants = {}) {
    Steps steps{with};
    return steps.done({steps.element(op, {steps.operand(0)}, std::move(constants))});
}

Lowered two(const Operator& with, Op op) {
    Steps steps{with};
    return steps.done({steps.element(op, {steps.operand(0), steps.operand(1)})});
}

Lower unary_of(Op op) {
    return [op](const Operator& with) { return one(with, op); };
}

Lower binary_of(Op op) {
    return [op](const Operator& with) { return two(with, op); };
}

/// All operands, two by two.
Part folded(Steps& steps, Op op) {
    Part all = steps.operand(0);
    for (std::size_t i = 1; i < steps.with().inputs.size(); ++i) {
        all = steps.element(op, {all, steps.operand(i)});
    }
    return all;
}

Lower chain_of(Op op) {
    return [op](const Operator& with) {
        Steps steps{with};
        return steps.done({folded(steps, op)});
    };
}

Lowered mean(const Operator& with) {
    Steps steps{with};
    const Part sum = folded(steps, Op::add);
    return steps.done({steps.element(Op::scale, {sum}, {1 / static_cast<double>(with.inputs.size()), 0})});
}

/// Below zero, where the exponent is no whole number, a power is no number: as the logarithm of such a base.
Part known_power(Steps& steps, const Part& x, double exponent) {
    const DataType type = x.tensor.type;
    LoopOf loop{{x}};
    const host::Shape& shape = x.tensor.shape;
    std::size_t y = loop.step(Op::power, {0}, shape, type, {exponent});
    if (exponent != std::floor(exponent)) {
        const std::size_t zero = loop.step(Op::constant, {}, {}, type, {0});
        const std::size_t below = loop.step(Op::less, {0, zero}, shape, DataType::boolean);
        const std::size_t none = loop.step(Op::ln, {0}, shape, type);
        y = loop.step(Op::where, {below, none, y}, shape, type);
    }
    return steps.run(loop.outputs({y}), {x})[0];
}

Part any_power(Steps& steps, const Part& x, const Part& exponent) {
    const DataType type = x.tensor.type;
    const host::Shape shape = broadcast(x.tensor.shape, exponent.tensor.shape);
    LoopOf loop{{x, exponent}};
    const std::size_t power = loop.step(Op::pow, {0, 1}, shape, type);
    const std::size_t zero = loop.step(Op::constant, {}, {}, type, {0});
    const std::size_t below = loop.step(Op::less, {0, zero}, x.tensor.shape, DataType::boolean);
    const std::size_t whole = loop.step(Op::floor, {1}, exponent.tensor.shape, type);
    const std::size_t parted = loop.step(Op::not_equal, {1, whole}, exponent.tensor.shape, DataType::boolean);
    const std::size_t both = loop.step(Op::logical_and, {below, parted}, shape, DataType::boolean);
    const std::size_t none = loop.step(Op::ln, {0}, x.tensor.shape, type);
    const std::size_t y = loop.step(Op::where, {both, none, power}, shape, type);
    return steps.run(loop.outputs({y}), {x, exponent})[0];
}

/// The base's type stays. Whole numbers go through float, whose powers are rounded.
Lowered pow(const Operator& with) {
    Steps steps{with};
    const Part base = steps.operand(0);
    const Part exponent = steps.operand(1);
    const DataType type = base.tensor.type;
    if (base.known() && exponent.known()) {
        return steps.done({steps.element(Op::pow, {base, exponent}, {}, type)});
    }
    const DataType in = is_real(type) ? type : DataType::float32;
    const Part x = steps.cast(base, in);
    const bool one = exponent.known() && exponent.tensor.count() == 1 &&
                     exponent.tensor.shape.size() <= x.tensor.shape.size();
    const Part power = one ? known_power(steps, x, exponent.tensor.values->front())
                           : any_power(steps, x, steps.cast(exponent, in));
    return steps.done({is_real(type) ? power : steps.cast(steps.element(Op::round, {power}), type)});
}

Lowered mod(const Operator& with) {
    const bool as_c = with.node.integer("fmod", 0) != 0;
    if (!as_c && is_real(with.input(0).type)) {
        throw Refused{"Mod of floats needs fmod = 1"};
    }
    return two(with, as_c ? Op::fmod : Op::mod);
}

/// Bounds are operands, or attributes in older opsets.
Lowered clip(const Operator& with) {
    Steps steps{with};
    Part x = steps.operand(0);
    const DataType type = x.tensor.type;
    const auto bound = [&](std::string_view name, std::size_t index) -> std::optional<Part> {
        if (with.has(index)) {
            return steps.operand(index);
        }
        if (with.node.has(name)) {
            return Steps::table(type, {}, {with.node.real(name, 0)});
        }
        return std::nullopt;
    };
    const std::optional<Part> low = bound("min", 1);
    const std::optional<Part> high = bound("max", 2);
    if (low && high && low->known() && high->known() && low->tensor.count() == 1 &&
        high->tensor.count() == 1 && is_real(type)) {
        return steps.done(
            {steps.element(Op::clip, {x}, {low->tensor.values->front(), high->tensor.values->front()})});
    }
    if (low) {
        x = steps.element(Op::maximum, {x, *low});
    }
    if (high) {
        x = steps.element(Op::minimum, {x, *high});
    }
    return steps.done({x});
}

Lowered where(const Operator& with) {
    Steps steps{with};
    return steps.done({steps.element(Op::where, {steps.operand(0), steps.operand(1), steps.operand(2)})});
}

DataType cast_type(std::int64_t number) {
    using D = DataType;
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
    const auto to = types.find(number);
    if (to == types.end()) {
        throw Refused{"a cast to a type that is no number"};
    }
    return to->second;
}

Lowered cast_to(const Operator& with, DataType type) {
    Steps steps{with};
    const bool as_wide = with.has(1) && with.input(1).wide != nullptr;  // of CastLike
    const bool wide = with.input(0).wide != nullptr || as_wide || with.node.has("wide");
    return steps.done({steps.cast(steps.operand(0), wide ? type : with.held(type))});
}

/// slope x below zero.
Lowered prelu(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    Part slope = steps.operand(1);
    const std::size_t rank = x.tensor.shape.size();
    if (slope.tensor.shape.size() == 1 && rank > 2 && slope.tensor.count() == x.tensor.shape[1] &&
        slope.tensor.count() != x.tensor.shape.back()) {  // as before opset 7: one for each channel
        host::Shape channels(rank - 1, 1);
        channels[0] = slope.tensor.count();
        slope = Steps::seen(slope, channels);
    }
    const host::Shape shape = broadcast(x.tensor.shape, slope.tensor.shape);
    const DataType type = x.tensor.type;
    LoopOf loop{{x, slope}};
    const std::size_t zero = loop.step(Op::constant, {}, {}, type, {0});
    const std::size_t below = loop.step(Op::minimum, {0, zero}, x.tensor.shape, type);
    const std::size_t above = loop.step(Op::relu, {0}, x.tensor.shape, type);
    const std::size_t scaled = loop.step(Op::mul, {below, 1}, shape, type);
    const std::size_t y = loop.step(Op::add, {above, scaled}, shape, type);
    return steps.done(steps.run(loop.outputs({y}), {x, slope}));
}

/// scale elu(x) with a slope of alpha; `inside` divides x before.
Lowered scaled_elu(const Operator& with, double alpha, double scale, double inside) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const DataType type = x.tensor.type;
    LoopOf loop{{x}};
    const std::size_t divided = loop.step(Op::scale, {0}, shape, type, {1 / inside, 0});
    const std::size_t elu = loop.step(Op::elu, {divided}, shape, type, {alpha});
    const std::size_t y = loop.step(Op::scale, {elu}, shape, type, {scale, 0});
    return steps.done(steps.run(loop.outputs({y}), {x}));
}

Lowered selu(const Operator& with) {
    return scaled_elu(with,
                      with.node.real("alpha", 1.67326319217681884765625),
                      with.node.real("gamma", 1.05070102214813232421875),
                      1);
}

Lowered celu(const Operator& with) {
    const double alpha = with.node.real("alpha", 1);
    return scaled_elu(with, 1, alpha, alpha);
}

Lowered thresholded_relu(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const DataType type = x.tensor.type;
    LoopOf loop{{x}};
    const std::size_t bound = loop.step(Op::constant, {}, {}, type, {with.node.real("alpha", 1)});
    const std::size_t zero = loop.step(Op::constant, {}, {}, type, {0});
    const std::size_t above = loop.step(Op::greater, {0, bound}, x.tensor.shape, DataType::boolean);
    const std::size_t y = loop.step(Op::where, {above, 0, zero}, x.tensor.shape, type);
    return steps.done(steps.run(loop.outputs({y}), {x}));
}

/// x + bias below -lambda, x - bias above lambda, 0 between.
Lowered shrink(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const DataType type = x.tensor.type;
    const double lambda = with.node.real("lambd", 0.5);
    const double bias = with.node.real("bias", 0);
    LoopOf loop{{x}};
    const std::size_t low = loop.step(Op::constant, {}, {}, type, {-lambda});
    const std::size_t high = loop.step(Op::constant, {}, {}, type, {lambda});
    const std::size_t zero = loop.step(Op::constant, {}, {}, type, {0});
    const std::size_t below = loop.step(Op::less, {0, low}, shape, DataType::boolean);
    const std::size_t above = loop.step(Op::greater, {0, high}, shape, DataType::boolean);
    const std::size_t less = loop.step(Op::scale, {0}, shape, type, {1, -bias});
    const std::size_t more = loop.step(Op::scale, {0}, shape, type, {1, bias});
    const std::size_t upper = loop.step(Op::where, {above, less, zero}, shape, type);
    const std::size_t y = loop.step(Op::where, {below, more, upper}, shape, type);
    return steps.done(steps.run(loop.outputs({y}), {x}));
}

Lowered is_inf(const Operator& with) {
    return one(with,
               Op::is_inf,
               {with.node.integer("detect_positive", 1) != 0 ? 1.0 : 0.0,
                with.node.integer("detect_negative", 1) != 0 ? 1.0 : 0.0});
}

Operators unary_operators() {
    return {{"Abs", unary_of(Op::abs)},
            {"Neg", unary_of(Op::neg)},
            {"Relu", unary_of(Op::relu)},
            {"Exp", unary_of(Op::exp)},
            {"Log", unary_of(Op::ln)},
            {"Sqrt", unary_of(Op::sqrt)},
            {"Reciprocal", unary_of(Op::reciprocal)},
            {"Sigmoid", unary_of(Op::sigmoid)},
            {"Tanh", unary_of(Op::tanh)},
            {"Softplus", unary_of(Op::softplus)},
            {"Softsign", unary_of(Op::softsign)},
            {"Erf", unary_of(Op::erf)},
            {"HardSwish", unary_of(Op::hard_swish)},
            {"Sign", unary_of(Op::sign)},
            {"Floor", unary_of(Op::floor)},
            {"Ceil", unary_of(Op::ceil)},
            {"Round", unary_of(Op::round)},
            {"Sin", unary_of(Op::sin)},
            {"Cos", unary_of(Op::cos)},
            {"Tan", unary_of(Op::tan)},
            {"Asin", unary_of(Op::asin)},
            {"Acos", unary_of(Op::acos)},
            {"Atan", unary_of(Op::atan)},
            {"Sinh", unary_of(Op::sinh)},
            {"Cosh", unary_of(Op::cosh)},
            {"Asinh", unary_of(Op::asinh)},
            {"Acosh", unary_of(Op::acosh)},
            {"Atanh", unary_of(Op::atanh)},
            {"Not", unary_of(Op::logical_not)},
            {"IsNaN", unary_of(Op::is_nan)},
            {"IsInf", is_inf}};
}

Operators binary_operators() {
    return {{"Add", binary_of(Op::add)},
            {"Sub", binary_of(Op::sub)},
            {"Mul", binary_of(Op::mul)},
            {"Div", binary_of(Op::div)},
            {"Pow", pow},
            {"Mod", mod},
            {"Less", binary_of(Op::less)},
            {"LessOrEqual", binary_of(Op::less_equal)},
            {"Greater", binary_of(Op::greater)},
            {"GreaterOrEqual", binary_of(Op::greater_equal)},
            {"Equal", binary_of(Op::equal)},
            {"And", binary_of(Op::logical_and)},
            {"Or", binary_of(Op::logical_or)},
            {"Xor", binary_of(Op::logical_xor)},
            {"Sum", chain_of(Op::add)},
            {"Max", chain_of(Op::maximum)},
            {"Min", chain_of(Op::minimum)},
            {"Mean", mean}};
}

}  // namespace

Operators elementwise_operators() {
    Operators all = unary_operators();
    all.merge(binary_operators());
    all.merge(Operators{
        {"Elu", [](const Operator& with) { return one(with, Op::elu, {with.node.real("alpha", 1)}); }},
        {"LeakyRelu",
         [](const Operator& with) { return one(with, Op::leaky_relu, {with.node.real("alpha", 0.01)}); }},
        {"HardSigmoid",
         [](const Operator& with) {
             return one(with, Op::hard_sigmoid, {with.node.real("alpha", 0.2), with.node.real("beta", 0.5)});
         }},
        {"PRelu", prelu},
        {"Selu", selu},
        {"Celu", celu},
        {"ThresholdedRelu", thresholded_relu},
        {"Shrink", shrink},
        {"Clip", clip},
        {"Where", where},
        {"Cast", [](const Operator& with) { return cast_to(with, cast_type(with.node.integer("to", 0))); }},
        {"CastLike", [](const Operator& with) { return cast_to(with, with.input(1).type); }},
    });
    return all;
}

}  // namespace ascendsim::networks
