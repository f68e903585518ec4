// SPDX-License-Identifier: Apache-2.0
#include "networks/loops/program.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace ascendsim::networks::loops {
namespace {

using isa::DataType;

bool is_reduce(Code code) {
    return code >= Code::reduce_sum;
}

double folded(Code code, double a, double b) {
    switch (code) {
        case Code::add:
            return a + b;
        case Code::sub:
            return a - b;
        case Code::mul:
            return a * b;
        case Code::div:
            return a / b;
        case Code::max:
            return std::max(a, b);
        case Code::min:
            return std::min(a, b);
        default:
            throw InternalError{"no arithmetic of two numbers"};
    }
}

}  // namespace

std::size_t Program::phases() const {
    std::size_t most = 0;
    for (const Node& node : nodes) {
        most = std::max(most, node.phase);
    }
    return most;
}

Number Builder::append(Node node) {
    node.step = step_;
    for (const std::size_t operand : node.operands) {
        node.phase = std::max(node.phase, program_.nodes[operand].phase);
    }
    node.phase += is_reduce(node.code) ? 1U : 0U;
    const Key key{node.code,
                  node.operands,
                  node.scalar,
                  node.mode,
                  node.tensor,
                  node.type,
                  node.form.rows,
                  node.form.width,
                  node.kept};
    if (const auto found = known_.find(key); found != known_.end() && node.code != Code::store) {
        return {found->second, {}};
    }
    known_[key] = program_.nodes.size();
    program_.nodes.push_back(std::move(node));
    return {program_.nodes.size() - 1, {}};
}

Number Builder::load(std::size_t read, DataType type, Form form, bool kept) {
    return append(
        {.code = Code::load, .operands = {}, .tensor = read, .type = type, .form = form, .kept = kept});
}

void Builder::store(std::size_t output, Number value, DataType type, Form form, bool kept) {
    static_cast<void>(append({.code = Code::store,
                              .operands = {value.node},
                              .tensor = output,
                              .type = type,
                              .form = form,
                              .kept = kept}));
}

Number Builder::unary(Code code, Number x) {
    return append(
        {.code = code, .operands = {x.node}, .type = at(x).type, .form = at(x).form, .kept = at(x).kept});
}

Number Builder::rounded(Number x, Rounding how) {
    return append({.code = Code::round,
                   .operands = {x.node},
                   .mode = static_cast<std::uint8_t>(how),
                   .form = at(x).form,
                   .kept = at(x).kept});
}

Number Builder::converted(Number x, DataType type, Rounding how) {
    if (at(x).type == type) {
        return x;
    }
    return append({.code = Code::convert,
                   .operands = {x.node},
                   .mode = static_cast<std::uint8_t>(how),
                   .type = type,
                   .form = at(x).form,
                   .kept = at(x).kept});
}

Number Builder::with_scalar(Code code, Number x, double scalar) {
    return append({.code = code,
                   .operands = {x.node},
                   .scalar = scalar,
                   .type = at(x).type,
                   .form = at(x).form,
                   .kept = at(x).kept});
}

Number Builder::filled(Number number, Number like) {
    return append({.code = Code::duplicate,
                   .operands = {},
                   .scalar = *number.literal,
                   .type = at(like).type == DataType::boolean ? DataType::float32 : at(like).type,
                   .form = at(like).form,
                   .kept = at(like).kept});
}

/// The operand as an instruction on tiles of `form` takes it: what lacks an axis of it lies in blocks.
std::size_t Builder::beside(Number x, Form form) {
    const Node& node = at(x);
    if (node.form == form || (node.form.width && !node.form.rows)) {
        return x.node;
    }
    return append({.code = Code::spread,
                   .operands = {x.node},
                   .type = node.type,
                   .form = node.form,
                   .kept = node.kept})
        .node;
}

Number Builder::binary(Code code, Number a, Number b) {
    const Form form = joined(at(a).form, at(b).form);
    const std::size_t left = beside(a, form);
    const std::size_t right = beside(b, form);
    return append({.code = code,
                   .operands = {left, right},
                   .type = at(a).type,
                   .form = form,
                   .kept = at(a).kept && at(b).kept});
}

Number Builder::with_literal(Code code, Number a, Number b) {
    if (a.literal && b.literal) {
        return {0, folded(code, *a.literal, *b.literal)};
    }
    if (!a.literal && !b.literal) {
        return binary(code, a, b);
    }
    const bool right = b.literal.has_value();
    const Number x = right ? a : b;
    const double number = right ? *b.literal : *a.literal;
    switch (code) {
        case Code::add:
            return number == 0 ? x : with_scalar(Code::adds, x, number);
        case Code::sub:
            return right ? with_scalar(Code::adds, x, -number)
                         : with_scalar(Code::adds, with_scalar(Code::muls, x, -1), number);
        case Code::mul:
            return number == 1 ? x : with_scalar(Code::muls, x, number);
        case Code::max:
            return with_scalar(Code::maxs, x, number);
        case Code::min:
            return with_scalar(Code::mins, x, number);
        default:
            return right ? with_scalar(Code::muls, x, 1 / number) : binary(code, filled(a, x), x);
    }
}

Number Builder::add(Number a, Number b) {
    return with_literal(Code::add, a, b);
}

Number Builder::sub(Number a, Number b) {
    return with_literal(Code::sub, a, b);
}

Number Builder::mul(Number a, Number b) {
    return with_literal(Code::mul, a, b);
}

Number Builder::div(Number a, Number b) {
    // Exponentials by their sum, as softmax has them: one quotient for each row, and products, which take a
    // third of the time.
    const bool shares = !a.literal && !b.literal && at(a).code == Code::exp && at(b).code == Code::reduce_sum;
    if (shares && at(a).form != at(b).form) {
        return mul(a, div({0, 1.0}, b));
    }
    return with_literal(Code::div, a, b);
}

Number Builder::max(Number a, Number b) {
    return with_literal(Code::max, a, b);
}

Number Builder::min(Number a, Number b) {
    return with_literal(Code::min, a, b);
}

Number Builder::compare(Comparison how, Number a, Number b) {
    const auto mode = static_cast<std::uint8_t>(how);
    if (a.literal) {
        a = filled(a, b);
    }
    if (b.literal && at(a).type != DataType::int32) {
        return append({.code = Code::compare_scalar,
                       .operands = {a.node},
                       .scalar = *b.literal,
                       .mode = mode,
                       .type = DataType::boolean,
                       .form = at(a).form,
                       .kept = at(a).kept});
    }
    if (b.literal) {
        b = filled(b, a);
    }
    const Form form = joined(at(a).form, at(b).form);
    a = expanded(a, form);
    b = expanded(b, form);
    return append({.code = Code::compare,
                   .operands = {a.node, b.node},
                   .mode = mode,
                   .type = DataType::boolean,
                   .form = form,
                   .kept = at(a).kept && at(b).kept});
}

Number Builder::choose(Number mask, Number a, Number b) {
    const Form form = at(mask).form;
    if (a.literal) {
        a = b.literal ? filled(a, mask) : expanded(filled(a, b), form);
    }
    a = expanded(a, form);
    const bool of_number = b.literal && at(a).type == DataType::float32;
    if (b.literal && !of_number) {
        b = filled(b, a);
    }
    std::vector<std::size_t> operands{mask.node, a.node};
    bool kept = at(mask).kept && at(a).kept;
    if (!of_number) {
        b = expanded(b, form);
        operands.push_back(b.node);
        kept = kept && at(b).kept;
    }
    return append({.code = of_number ? Code::select_scalar : Code::select,
                   .operands = operands,
                   .scalar = of_number ? *b.literal : 0,
                   .type = at(a).type,
                   .form = form,
                   .kept = kept});
}

Number Builder::truth(Number mask) {
    const Number value = choose(mask, {0, 1.0}, {0, 0.0});
    masks_[value.node] = mask.node;
    return value;
}

Number Builder::mask_of(Number x) {
    if (const auto found = masks_.find(x.node); found != masks_.end()) {
        return {found->second, {}};
    }
    return compare(Comparison::ne, x, {0, 0.0});
}

Number Builder::expanded(Number x, Form form) {
    if (at(x).form == form) {
        return x;
    }
    const std::size_t operand = beside(x, form);
    return append(
        {.code = Code::expand, .operands = {operand}, .type = at(x).type, .form = form, .kept = at(x).kept});
}

Number Builder::reduced(Code code, Number x) {
    Form needed = at(x).form;  // what varies along a reduced axis of the tile
    needed.rows = needed.rows || space_.rows().reduced;
    needed.width = needed.width || space_.width().reduced;
    const Number full = expanded(x, needed);
    return append({.code = code,
                   .operands = {full.node},
                   .type = at(x).type,
                   .form = {needed.rows && !space_.rows().reduced, needed.width && !space_.width().reduced},
                   .kept = true});
}

}  // namespace ascendsim::networks::loops
