// SPDX-License-Identifier: Apache-2.0
// Activations that exports write as several operators:
//   GELU          x (1 + erf(x / sqrt(2))) / 2
//   by tanh       x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
//   SiLU          x sigmoid(x)
#include <cmath>

#include "networks/patterns/pattern.hpp"

namespace ascendsim::networks {
namespace {

const Expression& activation_operand() {
    static const Expression x = any("x");
    return x;
}

/// x times `one_plus` by 2, whichever product comes first.
Expression half_of_both(const Expression& one_plus) {
    const Expression& x = activation_operand();
    const Expression half = number(0.5);
    const Expression halved = either({op({"Mul"}, {x, half}), op({"Div"}, {x, number(2)})});
    return either({op({"Mul"}, {op({"Mul"}, {one_plus, x}), half}),
                   op({"Div"}, {op({"Mul"}, {one_plus, x}), number(2)}),
                   op({"Mul"}, {one_plus, halved}),
                   op({"Mul"}, {op({"Mul"}, {one_plus, half}), x})});
}

Expression gelu_by_erf() {
    const Expression& x = activation_operand();
    const Expression inside =
        either({op({"Div"}, {x, number(std::sqrt(2.0))}), op({"Mul"}, {x, number(std::sqrt(0.5))})});
    return half_of_both(op({"Add"}, {op({"Erf"}, {inside}), number(1)}));
}

Expression gelu_by_tanh() {
    const Expression& x = activation_operand();
    const Expression cube = either({op({"Pow"}, {x, number(3)}),
                                    op({"Mul"}, {op({"Mul"}, {x, x}), x}),
                                    op({"Mul"}, {op({"Pow"}, {x, number(2)}), x})});
    const Expression sum = op({"Add"}, {op({"Mul"}, {cube, number(0.044715)}), x});
    const Expression inside = op({"Mul"}, {sum, number(std::sqrt(2 / M_PI))});
    return half_of_both(op({"Add"}, {op({"Tanh"}, {inside}), number(1)}));
}

using Attributes = std::map<std::string, Attribute, std::less<>>;

auto as_one(Expression expression, std::string op_name, Attributes attributes) {
    return [=](const PatternView& view, std::size_t index) -> std::optional<Rewriting> {
        const std::string& y = view.node(index).outputs[0];
        const std::optional<Found> found = match(view, expression, y);
        if (!found) {
            return std::nullopt;
        }
        return Rewriting{.nodes = found->all,
                         .with = {replacing(view, y, op_name, {found->tensors.at("x")}, attributes)}};
    };
}

}  // namespace

Patterns activations_patterns() {
    const Expression& x = activation_operand();
    return {{.name = "GELU",
             .phase = Phase::recognise,
             .rewrite = as_one(gelu_by_erf(), "Gelu", {{"approximate", std::string{"none"}}})},
            {.name = "GELU by tanh",
             .phase = Phase::recognise,
             .rewrite = as_one(gelu_by_tanh(), "Gelu", {{"approximate", std::string{"tanh"}}})},
            {.name = "SiLU",
             .phase = Phase::recognise,
             .rewrite = as_one(op({"Mul"}, {op({"Sigmoid"}, {x}), x}), "Silu", {})}};
}

}  // namespace ascendsim::networks
