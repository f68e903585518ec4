// SPDX-License-Identifier: Apache-2.0
#include "networks/patterns/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace ascendsim::networks {
namespace {

/// The element of a tensor that holds one, if it is known.
std::optional<double> one_element(const PatternView& view, const std::string& tensor) {
    const Tensor* found = view.tensor(tensor);
    return found != nullptr && found->known() && found->count() == 1 ? std::optional{found->values->front()}
                                                                     : std::nullopt;
}

bool commutes(std::string_view op) {
    constexpr std::array ops{"Add", "Mul", "Max", "Min", "Sum"};
    return std::ranges::find(ops, op) != ops.end();
}

bool matches(const PatternView& view, const Expression& expression, const std::string& tensor, Found& found);

bool operands_match(const PatternView& view,
                    const std::vector<Expression>& operands,
                    const std::vector<std::string>& inputs,
                    bool turned,
                    Found& found) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!matches(view, operands[i], inputs[turned ? operands.size() - 1 - i : i], found)) {
            return false;
        }
    }
    return true;
}

bool op_matches(const PatternView& view,
                const Expression& expression,
                const std::string& tensor,
                Found& found) {
    const std::size_t index = view.maker(tensor);
    if (index == view.graph().nodes.size()) {
        return false;
    }
    const Node& node = view.node(index);
    if (std::ranges::find(expression.ops, node.op) == expression.ops.end() ||
        node.outputs.front() != tensor ||
        (!expression.operands.empty() && node.inputs.size() != expression.operands.size())) {
        return false;
    }
    for (const bool turned : {false, true}) {
        if (turned && !(commutes(node.op) && node.inputs.size() == 2)) {
            return false;
        }
        Found more = found;
        more.all.insert(index);
        if (!expression.name.empty()) {
            more.nodes[expression.name] = index;
        }
        if (operands_match(view, expression.operands, node.inputs, turned, more)) {
            found = std::move(more);
            return true;
        }
    }
    return false;
}

bool matches(const PatternView& view, const Expression& expression, const std::string& tensor, Found& found) {
    switch (expression.kind) {
        case Expression::Kind::any:
            return !tensor.empty() &&
                   found.tensors.try_emplace(expression.name, tensor).first->second == tensor;
        case Expression::Kind::number: {
            constexpr double rounding = 1e-3;
            const std::optional<double> value = one_element(view, tensor);
            return value && std::abs(*value - expression.value) <= rounding * std::abs(expression.value);
        }
        case Expression::Kind::some_number: {
            const std::optional<double> value = one_element(view, tensor);
            if (value) {
                found.numbers[expression.name] = *value;
            }
            return value.has_value();
        }
        case Expression::Kind::op:
            return op_matches(view, expression, tensor, found);
        case Expression::Kind::either:
            return std::ranges::any_of(expression.operands, [&](const Expression& one) {
                Found more = found;
                if (!matches(view, one, tensor, more)) {
                    return false;
                }
                found = std::move(more);
                return true;
            });
    }
    return false;
}

}  // namespace

Expression any(std::string name) {
    return {.kind = Expression::Kind::any, .name = std::move(name)};
}

Expression number(double value) {
    return {.kind = Expression::Kind::number, .value = value};
}

Expression some_number(std::string name) {
    return {.kind = Expression::Kind::some_number, .name = std::move(name)};
}

Expression op(std::vector<std::string> ops, std::vector<Expression> operands, std::string name) {
    return {.kind = Expression::Kind::op,
            .name = std::move(name),
            .ops = std::move(ops),
            .operands = std::move(operands)};
}

Expression either(std::vector<Expression> expressions) {
    return {.kind = Expression::Kind::either, .operands = std::move(expressions)};
}

std::optional<Found> match(const PatternView& view, const Expression& expression, const std::string& tensor) {
    Found found;
    return matches(view, expression, tensor, found) ? std::optional{found} : std::nullopt;
}

}  // namespace ascendsim::networks
