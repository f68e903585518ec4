// SPDX-License-Identifier: Apache-2.0
// Operators of the backward pass that ONNX has none for, each one generated kernel. g is the gradient of a
// result y of an operand x.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// A loop over elements of one shape and type while it is written.
class ElementLoop {
public:
    ElementLoop(const std::vector<Part>& parts, host::Shape shape, DataType type)
        : loop_{parts}, shape_{std::move(shape)}, type_{type} {}

    std::size_t operator()(Op op, std::vector<std::size_t> inputs, std::vector<double> constants = {}) {
        return loop_.step(op, std::move(inputs), shape_, type_, std::move(constants));
    }

    std::size_t number(double value) { return loop_.step(Op::constant, {}, {}, type_, {value}); }

    std::size_t greater(std::size_t a, std::size_t b) {
        return loop_.step(Op::greater, {a, b}, shape_, DataType::boolean);
    }

    [[nodiscard]] const loops::Loop& outputs(std::size_t value) { return loop_.outputs({value}); }

private:
    LoopOf loop_;
    host::Shape shape_;
    DataType type_;
};

/// g times what `derivative` makes of the other operand.
template <class Derivative>
Lower times(Derivative derivative) {
    return [derivative](const Operator& with) {
        Steps steps{with};
        const Part g = steps.operand(0);
        const Part x = steps.operand(1);
        ElementLoop loop{{g, x}, x.tensor.shape, x.tensor.type};
        const std::size_t slope = derivative(loop, with.node);
        return steps.done(steps.run(loop.outputs(loop(Op::mul, {0, slope})), {g, x}));
    };
}

/// g where the operand is above zero, else `below` g.
Lower where_positive(bool leaks) {
    return [leaks](const Operator& with) {
        Steps steps{with};
        const Part g = steps.operand(0);
        const Part x = steps.operand(1);
        ElementLoop loop{{g, x}, x.tensor.shape, x.tensor.type};
        const std::size_t zero = loop.number(0);
        const std::size_t other =
            leaks ? loop(Op::scale, {0}, {with.node.real("alpha", 0.01), 0}) : loop.number(0);
        const std::size_t y = loop(Op::where, {loop.greater(1, zero), 0, other});
        return steps.done(steps.run(loop.outputs(y), {g, x}));
    };
}

/// y (1 - y).
std::size_t sigmoid_slope(ElementLoop& loop, const Node& /*node*/) {
    return loop(Op::mul, {1, loop(Op::scale, {1}, {-1, 1})});
}

/// 1 - y^2.
std::size_t tanh_slope(ElementLoop& loop, const Node& /*node*/) {
    return loop(Op::scale, {loop(Op::square, {1})}, {-1, 1});
}

/// 2 / sqrt(pi) exp(-x^2).
std::size_t erf_slope(ElementLoop& loop, const Node& /*node*/) {
    const std::size_t power = loop(Op::exp, {loop(Op::neg, {loop(Op::square, {1})})});
    return loop(Op::scale, {power}, {M_2_SQRTPI, 0});
}

/// s (1 + x (1 - s)), s the sigmoid of x.
std::size_t silu_slope(ElementLoop& loop, const Node& /*node*/) {
    const std::size_t s = loop(Op::sigmoid, {1});
    const std::size_t rest = loop(Op::mul, {1, loop(Op::scale, {s}, {-1, 1})});
    return loop(Op::mul, {s, loop(Op::scale, {rest}, {1, 1})});
}

/// Of x P(x), P = (1 + erf(x / sqrt 2)) / 2: P + x exp(-x^2 / 2) / sqrt(2 pi). Of the approximation by tanh,
/// with t = tanh(u), u = sqrt(2 / pi) (x + 0.044715 x^3): (1 + t) / 2 + x (1 - t^2) u' / 2.
std::size_t gelu_slope(ElementLoop& loop, const Node& node) {
    const std::size_t square = loop(Op::square, {1});
    if (node.word("approximate", "none") == "none") {
        const std::size_t erf = loop(Op::erf, {loop(Op::scale, {1}, {M_SQRT1_2, 0})});
        const std::size_t density = loop(Op::exp, {loop(Op::scale, {square}, {-0.5, 0})});
        const std::size_t rest = loop(Op::mul, {1, density});
        return loop(
            Op::add,
            {loop(Op::scale, {erf}, {0.5, 0.5}), loop(Op::scale, {rest}, {M_SQRT1_2 * M_2_SQRTPI / 2, 0})});
    }
    constexpr double cubic = 0.044715;
    const double factor = M_SQRT2 * M_2_SQRTPI / 2;  // sqrt(2 / pi)
    const std::size_t u = loop(Op::mul, {1, loop(Op::scale, {square}, {factor * cubic, factor})});
    const std::size_t t = loop(Op::tanh, {u});
    const std::size_t slope = loop(Op::scale, {square}, {1.5 * factor * cubic, factor / 2});
    const std::size_t bend = loop(Op::scale, {loop(Op::square, {t})}, {-1, 1});
    const std::size_t rest = loop(Op::mul, {1, loop(Op::mul, {bend, slope})});
    return loop(Op::add, {loop(Op::scale, {t}, {0.5, 0.5}), rest});
}

std::size_t softplus_slope(ElementLoop& loop, const Node& /*node*/) {
    return loop(Op::sigmoid, {1});
}

std::size_t abs_slope(ElementLoop& loop, const Node& /*node*/) {
    return loop(Op::sign, {1});
}

/// -y^2.
std::size_t reciprocal_slope(ElementLoop& loop, const Node& /*node*/) {
    return loop(Op::neg, {loop(Op::square, {1})});
}

Lowered scale(const Operator& with) {
    Steps steps{with};
    return steps.done({steps.element(Op::scale, {steps.operand(0)}, {with.node.real("factor", 1), 0})});
}

/// By a number of one element in float32, which may be larger than float16 goes, and by a known factor:
/// the product is rounded once.
Lowered scale_by(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const Part by = steps.operand(1);
    const host::Shape& shape = x.tensor.shape;
    const DataType wide = wide_type(x.tensor.type);
    LoopOf loop{{x, by}};
    const std::size_t product = loop.step(Op::mul, {loop.step(Op::cast, {0}, shape, wide), 1}, shape, wide);
    const std::size_t scaled = loop.step(Op::scale, {product}, shape, wide, {with.node.real("factor", 1), 0});
    const std::size_t result = loop.step(Op::cast, {scaled}, shape, x.tensor.type);
    return steps.done(steps.run(loop.outputs({result}), {x, by}));
}

/// y (g - sum of g y), over one axis; of the logarithm g - exp(y) (sum of g).
Lower softmax_grad(bool logarithm) {
    return [logarithm](const Operator& with) {
        Steps steps{with};
        const Part g = steps.operand(0);
        const Part y = steps.operand(1);
        const host::Shape& shape = y.tensor.shape;
        const DataType type = y.tensor.type;
        const std::size_t axis = with.axis(with.node.integer("axis", -1), shape.size());
        host::Shape kept = shape;
        kept[axis] = 1;
        LoopOf loop{{g, y}};
        const std::size_t summed = logarithm ? 0 : loop.step(Op::mul, {0, 1}, shape, type);
        const std::size_t sum = loop.step(Op::reduce_sum, {summed}, kept, type, {}, {axis});
        std::size_t x = 0;
        if (logarithm) {
            const std::size_t power = loop.step(Op::exp, {1}, shape, type);
            x = loop.step(Op::sub, {0, loop.step(Op::mul, {power, sum}, shape, type)}, shape, type);
        } else {
            x = loop.step(Op::mul, {1, loop.step(Op::sub, {0, sum}, shape, type)}, shape, type);
        }
        return steps.done(steps.run(loop.outputs({x}), {g, y}));
    };
}

/// (softmax(x) - 1 at the label) scale / rows, for scores [rows, classes], labels, and a loss scale.
Lowered softmax_cross_entropy_grad(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    const DataType wide = wide_type(x.tensor.type);
    const Part labels = steps.cast(Steps::seen(steps.operand(1), {shape[0], 1}), wide);
    const Part scale = steps.operand(2);
    std::vector<double> numbers(shape[1]);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Part classes = Steps::table(wide, {1, shape[1]}, std::move(numbers));
    const host::Shape kept{shape[0], 1};
    const std::vector<Part> reads{x, labels, classes, scale};
    LoopOf loop{reads};
    const std::size_t scores = loop.step(Op::cast, {0}, shape, wide);
    const std::size_t most = loop.step(Op::reduce_max, {scores}, kept, wide, {}, {1});
    const std::size_t power =
        loop.step(Op::exp, {loop.step(Op::sub, {scores, most}, shape, wide)}, shape, wide);
    const std::size_t sum = loop.step(Op::reduce_sum, {power}, kept, wide, {}, {1});
    const std::size_t softmax = loop.step(Op::div, {power, sum}, shape, wide);
    const std::size_t same = loop.step(Op::equal, {1, 2}, shape, DataType::boolean);
    const std::size_t apart =
        loop.step(Op::sub, {softmax, loop.step(Op::cast, {same}, shape, wide)}, shape, wide);
    const std::size_t scaled = loop.step(Op::mul, {apart, 3}, shape, wide);
    const std::size_t mean =
        loop.step(Op::scale, {scaled}, shape, wide, {1 / static_cast<double>(shape[0]), 0});
    const std::size_t result = loop.step(Op::cast, {mean}, shape, x.tensor.type);
    return steps.done(steps.run(loop.outputs({result}), reads));
}

/// With n the normalised x and h = g scale: inverse (h - mean(h) - n mean(h n)), and g n, whose sum over
/// rows is the scale's gradient. Mean and deviation are computed again: x is read anyway.
Lowered layer_norm_grad(const Operator& with) {
    Steps steps{with};
    const host::Shape& whole = with.input(1).shape;
    const std::size_t axis = with.axis(with.node.integer("axis", -1), whole.size());
    const auto first = whole.begin() + static_cast<std::ptrdiff_t>(axis);
    const host::Shape shape{host::elements({whole.begin(), first}), host::elements({first, whole.end()})};
    const host::Shape kept{shape[0], 1};
    const Part g = Steps::seen(steps.operand(0), shape);
    const Part x = Steps::seen(steps.operand(1), shape);
    const Part scale = Steps::seen(steps.operand(2), {shape[1]});
    const DataType type = x.tensor.type;
    LoopOf loop{{g, x, scale}};
    const auto row = [&](Op op, std::vector<std::size_t> inputs, std::vector<double> constants = {}) {
        return loop.step(op, std::move(inputs), kept, type, std::move(constants));
    };
    const auto each = [&](Op op, std::vector<std::size_t> inputs) {
        return loop.step(op, std::move(inputs), shape, type);
    };
    const auto mean = [&](std::size_t of) { return loop.step(Op::reduce_mean, {of}, kept, type, {}, {1}); };
    const std::size_t centred = each(Op::sub, {1, mean(1)});
    const std::size_t variance = mean(each(Op::square, {centred}));
    const std::size_t inverse =
        row(Op::rsqrt, {row(Op::scale, {variance}, {1, with.node.real("epsilon", 1e-5)})});
    const std::size_t normal = each(Op::mul, {centred, inverse});
    const std::size_t scaled = each(Op::mul, {0, 2});
    const std::size_t along = each(Op::mul, {normal, mean(each(Op::mul, {scaled, normal}))});
    const std::size_t rest = each(Op::sub, {each(Op::sub, {scaled, mean(scaled)}), along});
    const std::size_t result = each(Op::mul, {rest, inverse});
    const std::size_t products = each(Op::mul, {0, normal});
    const std::vector<Part> made = steps.run(loop.outputs({result, products}), {g, x, scale});
    return steps.done({Steps::seen(made[0], whole), Steps::seen(made[1], whole)});
}

Lowered embedding_dense_grad(const Operator& with) {
    Steps steps{with};
    const Part g = steps.operand(0);
    const std::int64_t rows = with.node.integer("rows", 0);
    const std::uint64_t width = g.tensor.shape.back();
    const Part index = steps.cast(steps.operand(1), DataType::int32);
    const host::Shape shape{static_cast<std::uint64_t>(rows), width};
    const host::Shape tokens{g.tensor.count() / std::max<std::uint64_t>(width, 1), width};
    const Part sums = steps.run({.kernel = "embedding_dense_grad",
                                 .knobs = {{"shape", tokens},
                                           {"rows", rows},
                                           {"schedule", std::string{"atomic"}},
                                           {"invalid", 0.0},
                                           {"zero", true},
                                           {"dtype", type_word(g.tensor.type)}}},
                                {g, index},
                                {{.type = DataType::float32, .shape = shape, .values = {}}})[0];
    return steps.done({steps.cast(sums, g.tensor.type)});
}

/// One product for each place of the leading extents; matrices may lie turned. The kernel of several products
/// takes their rows behind each other, so that a turned A is transposed before.
Lowered batch_matmul(const Operator& with) {
    Steps steps{with};
    Part a = steps.operand(0);
    const Part b = steps.operand(1);
    bool turned_a = with.node.integer("transA", 0) != 0;
    const bool turned_b = with.node.integer("transB", 0) != 0;
    const std::uint64_t groups =
        host::elements({a.tensor.shape.begin(),
                        a.tensor.shape.end() - std::min<std::ptrdiff_t>(2, std::ssize(a.tensor.shape))});
    if (turned_a && groups > 1) {
        host::Shape order(a.tensor.shape.size());
        std::iota(order.begin(), order.end(), 0);
        std::swap(order.back(), order[order.size() - 2]);
        a = steps.transposed(a, order);
        turned_a = false;
    }
    const host::Shape& left = a.tensor.shape;
    const host::Shape& right = b.tensor.shape;
    if (left.size() < 2 || left.size() != right.size()) {
        throw Refused{"products of {} and {}", a.tensor.text(), b.tensor.text()};
    }
    const std::size_t last = left.size() - 1;
    host::Shape shape = left;
    shape[last - 1] = left[turned_a ? last : last - 1];
    shape[last] = right[turned_b ? last - 1 : last];
    return steps.done({steps.product_of(a,
                                        b,
                                        {.m = shape[last - 1],
                                         .n = shape[last],
                                         .k = left[turned_a ? last - 1 : last],
                                         .groups = groups,
                                         .turned_a = turned_a,
                                         .turned_b = turned_b},
                                        shape)});
}

}  // namespace

Operators gradients_operators() {
    return {{"ReluGrad", where_positive(false)},
            {"LeakyReluGrad", where_positive(true)},
            {"SigmoidGrad", times(sigmoid_slope)},
            {"TanhGrad", times(tanh_slope)},
            {"ErfGrad", times(erf_slope)},
            {"SiluGrad", times(silu_slope)},
            {"GeluGrad", times(gelu_slope)},
            {"SoftplusGrad", times(softplus_slope)},
            {"AbsGrad", times(abs_slope)},
            {"ReciprocalGrad", times(reciprocal_slope)},
            {"Scale", scale},
            {"ScaleBy", scale_by},
            {"SoftmaxGrad", softmax_grad(false)},
            {"LogSoftmaxGrad", softmax_grad(true)},
            {"SoftmaxCrossEntropyGrad", softmax_cross_entropy_grad},
            {"LayerNormGrad", layer_norm_grad},
            {"EmbeddingDenseGrad", embedding_dense_grad},
            {"BatchMatMul", batch_matmul}};
}

}  // namespace ascendsim::networks
