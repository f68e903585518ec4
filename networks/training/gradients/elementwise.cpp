// SPDX-License-Identifier: Apache-2.0
// Gradients of operators that work element by element. g is the gradient of the result y.
#include <cmath>

#include "networks/operators/operators.hpp"
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

/// g, summed over what was spread.
void gradient_of_add(const Differentiated& d) {
    for (std::size_t i = 0; i < d.node.inputs.size(); ++i) {
        d.backward.give_spread(d.input(i), d.gradient(), d.backward.shape(d.output()));
    }
}

void gradient_of_sub(const Differentiated& d) {
    const host::Shape& shape = d.backward.shape(d.output());
    d.backward.give_spread(d.input(0), d.gradient(), shape);
    if (d.wanted(1)) {
        d.backward.give_spread(d.input(1), d.backward.add("Neg", {d.gradient()}), shape);
    }
}

/// g b and g a.
void gradient_of_mul(const Differentiated& d) {
    for (const std::size_t i : {0U, 1U}) {
        if (d.wanted(i)) {
            d.backward.give_spread(d.input(i),
                                   d.backward.add("Mul", {d.gradient(), d.input(1 - i)}),
                                   d.backward.shape(d.output()));
        }
    }
}

/// g / b and -g y / b.
void gradient_of_div(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& shape = b.shape(d.output());
    if (!d.wanted(0) && !d.wanted(1)) {
        return;
    }
    const std::string quotient = b.add("Div", {d.gradient(), d.input(1)});
    b.give_spread(d.input(0), quotient, shape);
    if (d.wanted(1)) {
        b.give_spread(d.input(1), b.add("Neg", {b.add("Mul", {quotient, d.output()})}), shape);
    }
}

/// p x^(p - 1) g, of an exponent that is known.
void gradient_of_pow(const Differentiated& d) {
    Backward& b = d.backward;
    const Tensor& exponent = b.tensor(d.input(1));
    if (!exponent.known() || exponent.count() != 1) {
        throw Refused{"a power whose exponent is only known when the network runs"};
    }
    const double p = exponent.values->front();
    const std::string power = p == 2 ? d.input(0) : b.add("Pow", {d.input(0), b.number(p - 1, d.input(0))});
    b.give(d.input(0), b.scaled(b.add("Mul", {d.gradient(), power}), p));
}

void gradient_of_sum(const Differentiated& d) {
    gradient_of_add(d);
}

void gradient_of_mean(const Differentiated& d) {
    const std::string part = d.backward.scaled(d.gradient(), 1 / static_cast<double>(d.node.inputs.size()));
    for (std::size_t i = 0; i < d.node.inputs.size(); ++i) {
        d.backward.give_spread(d.input(i), part, d.backward.shape(d.output()));
    }
}

void gradient_of_where(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& shape = b.shape(d.output());
    if (d.wanted(1)) {
        b.give_spread(d.input(1), b.add("Where", {d.input(0), d.gradient(), b.number(0, d.output())}), shape);
    }
    if (d.wanted(2)) {
        b.give_spread(d.input(2), b.add("Where", {d.input(0), b.number(0, d.output()), d.gradient()}), shape);
    }
}

/// g where the operand is the one taken; of equal operands the first.
Gradient gradient_of_extreme(std::string first_wins) {
    return [first_wins](const Differentiated& d) {
        Backward& b = d.backward;
        if (d.node.inputs.size() > 2) {
            throw Refused{"{} of {} operands; two have a gradient", d.node.op, d.node.inputs.size()};
        }
        if (d.node.inputs.size() == 1) {
            b.give(d.input(0), d.gradient());
            return;
        }
        const host::Shape& shape = b.shape(d.output());
        const std::string first = b.add(first_wins, {d.input(0), d.input(1)});
        if (d.wanted(0)) {
            b.give_spread(d.input(0), b.add("Where", {first, d.gradient(), b.number(0, d.output())}), shape);
        }
        if (d.wanted(1)) {
            b.give_spread(d.input(1), b.add("Where", {first, b.number(0, d.output()), d.gradient()}), shape);
        }
    };
}

/// g where x is y: nothing was cut off.
void gradient_of_clip(const Differentiated& d) {
    Backward& b = d.backward;
    const std::string kept = b.add("Equal", {d.input(0), d.output()});
    b.give(d.input(0), b.add("Where", {kept, d.gradient(), b.number(0, d.output())}));
}

/// An operator of its own takes g and the operand, or g and the result.
Gradient by_operator(std::string op, bool of_result) {
    return [op, of_result](const Differentiated& d) {
        Backward::Attributes attributes = d.node.attributes;
        d.backward.give(d.input(0),
                        d.backward.add(op, {d.gradient(), of_result ? d.output() : d.input(0)}, attributes));
    };
}

void gradient_of_neg(const Differentiated& d) {
    d.backward.give(d.input(0), d.backward.add("Neg", {d.gradient()}));
}

void gradient_of_exp(const Differentiated& d) {
    d.backward.give(d.input(0), d.backward.add("Mul", {d.gradient(), d.output()}));
}

void gradient_of_log(const Differentiated& d) {
    d.backward.give(d.input(0), d.backward.add("Div", {d.gradient(), d.input(0)}));
}

/// g / (2 y).
void gradient_of_sqrt(const Differentiated& d) {
    d.backward.give(d.input(0), d.backward.scaled(d.backward.add("Div", {d.gradient(), d.output()}), 0.5));
}

void gradient_of_cast(const Differentiated& d) {
    if (!d.wanted(0)) {
        return;
    }
    // What is held as float16 is cast back to it.
    d.backward.give(d.input(0), d.backward.add("CastLike", {d.gradient(), d.input(0)}));
}

void gradient_of_identity(const Differentiated& d) {
    d.backward.give(d.input(0), d.gradient());
}

}  // namespace

Gradients elementwise_gradients() {
    return {{"Add", gradient_of_add},
            {"Sum", gradient_of_sum},
            {"Mean", gradient_of_mean},
            {"Sub", gradient_of_sub},
            {"Mul", gradient_of_mul},
            {"Div", gradient_of_div},
            {"Pow", gradient_of_pow},
            {"Where", gradient_of_where},
            {"Max", gradient_of_extreme("GreaterOrEqual")},
            {"Min", gradient_of_extreme("LessOrEqual")},
            {"Clip", gradient_of_clip},
            {"Neg", gradient_of_neg},
            {"Exp", gradient_of_exp},
            {"Log", gradient_of_log},
            {"Sqrt", gradient_of_sqrt},
            {"Abs", by_operator("AbsGrad", false)},
            {"Reciprocal", by_operator("ReciprocalGrad", true)},
            {"Erf", by_operator("ErfGrad", false)},
            {"Relu", by_operator("ReluGrad", true)},
            {"LeakyRelu", by_operator("LeakyReluGrad", false)},
            {"Sigmoid", by_operator("SigmoidGrad", true)},
            {"Tanh", by_operator("TanhGrad", true)},
            {"Softplus", by_operator("SoftplusGrad", false)},
            {"Gelu", by_operator("GeluGrad", false)},
            {"Silu", by_operator("SiluGrad", false)},
            {"Cast", gradient_of_cast},
            {"Identity", gradient_of_identity},
            {"Dropout", gradient_of_identity}};
}

}  // namespace ascendsim::networks
