// SPDX-License-Identifier: Apache-2.0
// Reductions, norms and softmax.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;
using Axes = std::vector<std::size_t>;

std::int64_t count_of(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

host::Shape with_ones(const host::Shape& shape, const Axes& axes) {
    host::Shape result = shape;
    for (const std::size_t axis : axes) {
        result[axis] = 1;
    }
    return result;
}

host::Shape without(const host::Shape& shape, const Axes& axes) {
    host::Shape result;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::ranges::find(axes, i) == axes.end()) {
            result.push_back(shape[i]);
        }
    }
    return result;
}

/// What the kernel `reduce` does for its word, as a loop.
std::shared_ptr<const loops::Loop> equal_reduction(const Part& x,
                                                   const Axes& axes,
                                                   std::string_view word,
                                                   Op op) {
    const DataType type = x.tensor.type;
    const host::Shape kept = with_ones(x.tensor.shape, axes);
    LoopOf loop{{x}};
    std::size_t y = 0;
    if (word == "sum_abs" || word == "sum_square" || word == "norm") {
        y = loop.step(word == "sum_abs" ? Op::abs : Op::square, {y}, x.tensor.shape, type);
    }
    y = loop.step(op, {y}, kept, type, {}, axes);
    if (word == "norm") {
        y = loop.step(Op::sqrt, {y}, kept, type);
    }
    return std::make_shared<const loops::Loop>(loop.outputs({y}));
}

/// The kernel `reduce`, if it does this; axes stay with an extent of 1.
Part reduced_by(Steps& steps, const Part& x, Axes axes, const char* op, Op loop_op) {
    std::ranges::sort(axes);
    const bool beside = std::ranges::adjacent_find(
                            axes, [](std::size_t a, std::size_t b) { return b != a + 1; }) == axes.end();
    const host::Shape shape = with_ones(x.tensor.shape, axes);
    const bool shipped = op != nullptr && beside && steps.with().chip->arch == "2201" && !x.known() &&
                         !axes.empty() && x.tensor.count() != 0 && is_real(x.tensor.type) &&
                         x.tensor.type != DataType::float64 && host::elements(shape) != x.tensor.count();
    if (!shipped) {
        return steps.reduce(loop_op, x, axes);
    }
    return steps.run({.kernel = "reduce",
                      .knobs = {{"shape", x.tensor.shape},
                                {"first", count_of(axes.front())},
                                {"axes", count_of(axes.size())},
                                {"op", std::string{op}},
                                {"dtype", type_word(x.tensor.type)}},
                      .equal = equal_reduction(x, axes, op, loop_op)},
                     {x},
                     {{.type = x.tensor.type, .shape = shape, .values = {}}})[0];
}

/// ln of the sum of exp, with the largest taken off before.
Part log_sum_exp(Steps& steps, const Part& x, const Axes& axes) {
    const host::Shape& shape = x.tensor.shape;
    const host::Shape kept = with_ones(shape, axes);
    const DataType type = x.tensor.type;
    LoopOf loop{{x}};
    const std::size_t most = loop.step(Op::reduce_max, {0}, kept, type, {}, axes);
    const std::size_t lower = loop.step(Op::sub, {0, most}, shape, type);
    const std::size_t powers = loop.step(Op::exp, {lower}, shape, type);
    const std::size_t sum = loop.step(Op::reduce_sum, {powers}, kept, type, {}, axes);
    const std::size_t ln = loop.step(Op::ln, {sum}, kept, type);
    const std::size_t y = loop.step(Op::add, {ln, most}, kept, type);
    return steps.run(loop.outputs({y}), {x})[0];
}

Axes axes_of(const Operator& with) {
    const std::size_t rank = with.input(0).shape.size();
    std::vector<std::int64_t> listed = with.list("axes", 1, {});
    if (listed.empty() && with.node.integer("noop_with_empty_axes", 0) == 0) {
        listed.resize(rank);
        std::iota(listed.begin(), listed.end(), 0);
    }
    Axes axes;
    for (const std::int64_t axis : listed) {
        axes.push_back(with.axis(axis, rank));
    }
    std::ranges::sort(axes);
    return axes;
}

/// A product over axes: halves are multiplied until one row is left.
Part multiplied_up(Steps& steps, const Part& x, const Axes& axes) {
    const host::Shape& shape = x.tensor.shape;
    host::Shape order{axes.begin(), axes.end()};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (std::ranges::find(axes, i) == axes.end()) {
            order.push_back(i);
        }
    }
    const host::Shape kept = with_ones(shape, axes);
    const std::uint64_t inner = host::elements(kept);
    std::uint64_t rows = x.tensor.count() / std::max<std::uint64_t>(inner, 1);
    Part y = Steps::seen(steps.transposed(x, order), {x.tensor.count()});
    std::optional<Part> odd;  // the product of rows that had no other
    while (rows > 1) {
        const std::uint64_t half = rows / 2;
        const host::Shape part{half * inner};
        if (rows % 2 != 0) {
            const Part last = Steps::section(y, 2 * half * inner, {inner});
            odd = odd ? steps.element(Op::mul, {*odd, last}) : last;
        }
        y = steps.element(Op::mul, {Steps::section(y, 0, part), Steps::section(y, half * inner, part)});
        rows = half;
    }
    y = Steps::seen(y, {inner});
    return Steps::seen(odd ? steps.element(Op::mul, {y, *odd}) : y, kept);
}

/// A reduction, what each element is made before it, and what its result is made behind.
struct Reduction {
    const char* shipped = nullptr;  // the kernel's word for all of it
    Op op = Op::reduce_sum;
    Op before = Op::copy;
    Op behind = Op::copy;
};

Lower reduction(Reduction how) {
    return [how](const Operator& with) {
        Steps steps{with};
        Part x = steps.operand(0);
        const Axes axes = axes_of(with);
        const bool plain = how.before == Op::copy && how.behind == Op::copy;
        const bool by_kernel = how.shipped != nullptr && with.chip->arch == "2201" && !x.known() &&
                               !axes.empty() && is_real(x.tensor.type) &&
                               axes.back() - axes.front() + 1 == axes.size() &&
                               host::elements(with_ones(x.tensor.shape, axes)) != x.tensor.count();
        const bool product = how.op == Op::reduce_prod && x.tensor.count() != 0 && !x.known() &&
                             x.tensor.type != DataType::float64;
        if (!axes.empty() && product) {
            x = multiplied_up(steps, x, axes);
        } else if (!axes.empty() && (plain || by_kernel)) {
            x = reduced_by(steps, x, axes, how.shipped, how.op);
        } else if (!axes.empty()) {
            x = how.before == Op::copy ? x : steps.element(how.before, {x});
            x = steps.reduce(how.op, x, axes);
            x = how.behind == Op::copy ? x : steps.element(how.behind, {x});
        }
        const bool keep = with.node.integer("keepdims", 1) != 0;
        return steps.done({keep ? x : Steps::seen(x, without(with.input(0).shape, axes))});
    };
}

Lowered reduce_log_sum_exp(const Operator& with) {
    Steps steps{with};
    const Axes axes = axes_of(with);
    const Part y = log_sum_exp(steps, steps.operand(0), axes);
    const bool keep = with.node.integer("keepdims", 1) != 0;
    return steps.done({keep ? y : Steps::seen(y, without(with.input(0).shape, axes))});
}

Lower global_pool(const char* word, Op op) {
    return [word, op](const Operator& with) {
        Steps steps{with};
        const Part x = steps.operand(0);
        if (x.tensor.shape.size() < 3) {
            throw Refused{"{} has no axes behind its channels", x.tensor.text()};
        }
        Axes axes(x.tensor.shape.size() - 2);
        std::iota(axes.begin(), axes.end(), std::size_t{2});
        if (!steps.copies_bytes() && !x.known() && axes.size() <= 2) {
            std::vector<WindowAxis> windows;
            for (const std::size_t axis : axes) {
                windows.push_back(
                    {.extent = count_of(x.tensor.shape[axis]), .taps = count_of(x.tensor.shape[axis])});
            }
            const bool most = op == Op::reduce_max;
            const Part all = steps.over_windows(most ? Op::maximum : Op::add, x, windows);
            const double image =
                static_cast<double>(x.tensor.count()) / static_cast<double>(all.tensor.count());
            return steps.done({most ? all : steps.element(Op::scale, {all}, {1 / image, 0})});
        }
        return steps.done({reduced_by(steps, x, axes, word, op)});
    };
}

/// The extents as rows of what softmax runs over; in older opsets those are all axes from `axis` on.
host::Shape softmax_shape(const Operator& with, std::size_t& axis) {
    const host::Shape& shape = with.input(0).shape;
    const bool old = with.opset < 13;
    if (shape.empty()) {
        throw Refused{"{} has no axis", with.input(0).text()};
    }
    axis = with.axis(with.node.integer("axis", old ? 1 : -1), shape.size());
    if (!old || axis + 1 == shape.size()) {
        return shape;
    }
    const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    axis = 1;
    return {host::elements({shape.begin(), first}), host::elements({first, shape.end()})};
}

loops::Loop softmax_loop(const Part& x, std::size_t axis) {
    const host::Shape& shape = x.tensor.shape;
    const DataType type = x.tensor.type;
    const host::Shape kept = with_ones(shape, {axis});
    LoopOf loop{{x}};
    const std::size_t most = loop.step(Op::reduce_max, {0}, kept, type, {}, {axis});
    const std::size_t lower = loop.step(Op::sub, {0, most}, shape, type);
    const std::size_t powers = loop.step(Op::exp, {lower}, shape, type);
    const std::size_t sum = loop.step(Op::reduce_sum, {powers}, kept, type, {}, {axis});
    return loop.outputs({loop.step(Op::div, {powers, sum}, shape, type)});
}

/// Softmax over one axis, which a neighbour may be joined with. Nothing where older opsets join axes.
std::shared_ptr<const LoopForm> softmax_form(const Operator& with,
                                             const host::Shape& shape,
                                             std::size_t axis) {
    const Tensor& x = with.input(0);
    if (x.shape != shape || x.known()) {
        return nullptr;
    }
    return std::make_shared<const LoopForm>(LoopForm{.loop = softmax_loop({x, 0}, axis), .reads = {{0, x}}});
}

Lowered softmax(const Operator& with) {
    Steps steps{with};
    std::size_t axis = 0;
    const host::Shape shape = softmax_shape(with, axis);
    const Part x = Steps::seen(steps.operand(0), shape);
    const bool last = axis + 1 == shape.size();
    if (!steps.copies_bytes() && (!last || shape.back() * isa::bits(x.tensor.type) % 256 != 0)) {
        const Part y = steps.run(softmax_loop(x, axis), {x})[0];
        return steps.done({Steps::seen(y, with.input(0).shape)});
    }
    Task task{.kernel = axis + 1 == shape.size() ? "softmax" : "softmax_axis",
              .knobs = {{"shape", shape}, {"dtype", type_word(x.tensor.type)}}};
    if (axis + 1 < shape.size()) {
        task.knobs.emplace_back("axis", count_of(axis));
    }
    const Tensor like{.type = x.tensor.type, .shape = shape, .values = {}};
    Lowered lowered = steps.done({Steps::seen(steps.run(task, {x}, {like})[0], with.input(0).shape)});
    lowered.form = softmax_form(with, shape, axis);
    return lowered;
}

Lowered log_softmax(const Operator& with) {
    Steps steps{with};
    std::size_t axis = 0;
    const host::Shape shape = softmax_shape(with, axis);
    const Part x = Steps::seen(steps.operand(0), shape);
    const DataType type = x.tensor.type;
    const host::Shape kept = with_ones(shape, {axis});
    LoopOf loop{{x}};
    const std::size_t most = loop.step(Op::reduce_max, {0}, kept, type, {}, {axis});
    const std::size_t lower = loop.step(Op::sub, {0, most}, shape, type);
    const std::size_t powers = loop.step(Op::exp, {lower}, shape, type);
    const std::size_t sum = loop.step(Op::reduce_sum, {powers}, kept, type, {}, {axis});
    const std::size_t ln = loop.step(Op::ln, {sum}, kept, type);
    const std::size_t y = loop.step(Op::sub, {lower, ln}, shape, type);
    return steps.done({Steps::seen(steps.run(loop.outputs({y}), {x})[0], with.input(0).shape)});
}

/// Normalised over the last axes, and with mean and inverse deviation of each row.
struct NormLoop {
    loops::Loop loop;  // its output is the norm
    std::size_t mean = 0;
    std::size_t inverse = 0;
};

NormLoop norm_loop(const std::vector<Part>& operands, std::size_t axis, double epsilon) {
    const host::Shape& shape = operands[0].tensor.shape;
    Axes axes(shape.size() - axis);
    std::iota(axes.begin(), axes.end(), axis);
    const host::Shape kept = with_ones(shape, axes);
    const DataType type = operands[0].tensor.type;
    LoopOf loop{operands};
    const std::size_t mean = loop.step(Op::reduce_mean, {0}, kept, type, {}, axes);
    const std::size_t centred = loop.step(Op::sub, {0, mean}, shape, type);
    const std::size_t square = loop.step(Op::square, {centred}, shape, type);
    const std::size_t variance = loop.step(Op::reduce_mean, {square}, kept, type, {}, axes);
    const std::size_t safe = loop.step(Op::scale, {variance}, kept, type, {1, epsilon});
    const std::size_t inverse = loop.step(Op::rsqrt, {safe}, kept, type);
    const std::size_t normal = loop.step(Op::mul, {centred, inverse}, shape, type);
    std::size_t y = loop.step(Op::mul, {normal, 1}, shape, type);
    if (operands.size() > 2) {
        y = loop.step(Op::add, {y, 2}, shape, type);
    }
    return {.loop = loop.outputs({y}), .mean = mean, .inverse = inverse};
}

/// In the extents of the network, which a neighbour may be joined with.
std::shared_ptr<const LoopForm> layer_norm_form(const Operator& with, std::size_t axis, double epsilon) {
    std::vector<Part> operands;
    LoopForm form;
    for (std::size_t i = 0; i < (with.has(2) ? 3U : 2U); ++i) {
        operands.push_back({with.input(i), i});
        form.reads.push_back({i, with.input(i)});
    }
    form.loop = norm_loop(operands, axis, epsilon).loop;
    return std::make_shared<const LoopForm>(std::move(form));
}

Lowered layer_norm(const Operator& with) {
    Steps steps{with};
    const host::Shape shape = with.input(0).shape;
    const std::size_t axis = with.axis(with.node.integer("axis", -1), shape.size());
    const auto first = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    const host::Shape rows{host::elements({shape.begin(), first}), host::elements({first, shape.end()})};
    const Part x = Steps::seen(steps.operand(0), rows);
    const Part scale = Steps::seen(steps.operand(1), {rows[1]});
    const Part bias = with.has(2) ? Steps::seen(steps.operand(2), {rows[1]})
                                  : Steps::table(x.tensor.type, {rows[1]}, std::vector<double>(rows[1]));
    const double epsilon = with.node.real("epsilon", 1e-5);
    if (with.node.outputs.size() > 1) {
        NormLoop norm = norm_loop({x, scale, bias}, 1, epsilon);
        norm.loop.outputs = {norm.loop.outputs[0], norm.mean, norm.inverse};
        std::vector<Part> parts = steps.run(norm.loop, {x, scale, bias});
        host::Shape kept = shape;
        std::fill(kept.begin() + static_cast<std::ptrdiff_t>(axis), kept.end(), 1);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            parts[i] = Steps::seen(parts[i], i == 0 ? shape : kept);
        }
        parts.resize(std::min<std::size_t>(parts.size(), with.node.outputs.size()));
        return steps.done(parts);
    }
    if (with.chip->arch != "2201") {  // the kernel row_norm pads in its copies
        const NormLoop norm = norm_loop({x, scale, bias}, 1, epsilon);
        return steps.done({Steps::seen(steps.run(norm.loop, {x, scale, bias})[0], shape)});
    }
    const Part y = steps.run({.kernel = "row_norm",
                              .knobs = {{"shape", rows},
                                        {"kind", std::string{"layer"}},
                                        {"epsilon", epsilon},
                                        {"dtype", type_word(x.tensor.type)}}},
                             {x, scale, bias},
                             {x.tensor})[0];
    Lowered lowered = steps.done({Steps::seen(y, shape)});
    lowered.form = layer_norm_form(with, axis, epsilon);
    return lowered;
}

Lowered instance_norm(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    if (x.tensor.shape.size() < 3) {
        throw Refused{"{} has no axes behind its channels", x.tensor.text()};
    }
    return steps.done(steps.run({.kernel = "group_norm",
                                 .knobs = {{"shape", x.tensor.shape},
                                           {"groups", count_of(x.tensor.shape[1])},
                                           {"epsilon", with.node.real("epsilon", 1e-5)},
                                           {"dtype", type_word(x.tensor.type)}}},
                                {x, steps.operand(1), steps.operand(2)},
                                {x.tensor}));
}

Lowered mean_variance(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    Axes axes;
    for (const std::int64_t axis : with.node.integers("axes", {0, 2, 3})) {
        axes.push_back(with.axis(axis, x.tensor.shape.size()));
    }
    const Part centred = steps.element(Op::sub, {x, steps.reduce(Op::reduce_mean, x, axes)});
    const Part variance = steps.reduce(Op::reduce_mean, steps.element(Op::square, {centred}), axes);
    constexpr double least = 1e-9;  // as the operator is defined
    const Part deviation = steps.element(Op::scale, {steps.element(Op::sqrt, {variance})}, {1, least});
    return steps.done({steps.element(Op::div, {centred, deviation})});
}

}  // namespace

Operators rows_operators() {
    return {{"ReduceSum", reduction({.shipped = "sum"})},
            {"ReduceMean", reduction({.shipped = "mean", .op = Op::reduce_mean})},
            {"ReduceMax", reduction({.shipped = "max", .op = Op::reduce_max})},
            {"ReduceMin", reduction({.shipped = "min", .op = Op::reduce_min})},
            {"ReduceProd", reduction({.op = Op::reduce_prod})},
            {"ReduceL1", reduction({.shipped = "sum_abs", .before = Op::abs})},
            {"ReduceSumSquare", reduction({.shipped = "sum_square", .before = Op::square})},
            {"ReduceL2", reduction({.shipped = "norm", .before = Op::square, .behind = Op::sqrt})},
            {"ReduceLogSum", reduction({.behind = Op::ln})},
            {"ReduceLogSumExp", reduce_log_sum_exp},
            {"GlobalAveragePool", global_pool("mean", Op::reduce_mean)},
            {"GlobalMaxPool", global_pool("max", Op::reduce_max)},
            {"Softmax", softmax},
            {"LogSoftmax", log_softmax},
            {"LayerNormalization", layer_norm},
            {"InstanceNormalization", instance_norm},
            {"MeanVarianceNormalization", mean_variance}};
}

}  // namespace ascendsim::networks
