// SPDX-License-Identifier: Apache-2.0
// Losses of classifiers: classes lie on axis 1.
#include <algorithm>
#include <numeric>
#include <optional>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// What is taken of the logarithms of probabilities.
struct Loss {
    Part logs;                   // [batch, classes, ...]
    Part labels;                 // [batch, ...]
    std::optional<Part> weight;  // [classes]
};

/// 1 where the class is the label, and the label is not the one that is ignored.
Part chosen(Steps& steps, const Loss& loss) {
    const host::Shape& shape = loss.logs.tensor.shape;
    host::Shape along(shape.size(), 1);
    along[1] = shape[1];
    host::Shape labels = shape;
    labels[1] = 1;
    std::vector<double> classes(shape[1]);
    std::iota(classes.begin(), classes.end(), 0);
    if (steps.with().node.has("ignore_index")) {  // a class that no label can be
        const double ignored = static_cast<double>(steps.with().node.integer("ignore_index", 0));
        std::ranges::replace(classes, ignored, static_cast<double>(-(std::int64_t{1} << 20)));
    }
    const Part wanted = Steps::seen(steps.cast(loss.labels, DataType::float32), labels);
    const Part same =
        steps.element(Op::equal, {wanted, Steps::table(DataType::float32, along, std::move(classes))});
    const Part mask = steps.cast(same, loss.logs.tensor.type);
    if (!loss.weight) {
        return mask;
    }
    return steps.element(Op::mul, {mask, Steps::seen(*loss.weight, along)});
}

Part reduced(Steps& steps, const Loss& loss) {
    const host::Shape& shape = loss.logs.tensor.shape;
    if (shape.size() < 2) {
        throw Refused{"{} has no axis of classes", loss.logs.tensor.text()};
    }
    host::Shape labels{shape[0]};
    labels.insert(labels.end(), shape.begin() + 2, shape.end());
    if (loss.labels.tensor.shape != labels) {
        throw Refused{"labels {} for {}", loss.labels.tensor.text(), loss.logs.tensor.text()};
    }
    const Part factors = chosen(steps, loss);
    const Part taken = steps.element(Op::mul, {loss.logs, factors});
    const Part of_each = steps.reduce(Op::reduce_sum, taken, {1});
    const Part losses = Steps::seen(steps.element(Op::neg, {of_each}), labels);
    const std::string how = steps.with().node.word("reduction", "mean");
    if (how == "none") {
        return losses;
    }
    const host::Shape flat{host::elements(labels)};
    const Part sum = steps.reduce(Op::reduce_sum, Steps::seen(losses, flat), {0});
    if (how == "sum") {
        return Steps::seen(sum, {});
    }
    if (how != "mean") {
        throw Refused{"a reduction by '{}'", how};
    }
    const Part weights = Steps::seen(steps.reduce(Op::reduce_sum, factors, {1}), flat);
    return Steps::seen(steps.element(Op::div, {sum, steps.reduce(Op::reduce_sum, weights, {0})}), {});
}

std::optional<Part> weight_of(const Steps& steps) {
    return steps.with().has(2) ? std::optional{steps.operand(2)} : std::nullopt;
}

Lowered nll(const Operator& with) {
    Steps steps{with};
    return steps.done(
        {reduced(steps, {.logs = steps.operand(0), .labels = steps.operand(1), .weight = weight_of(steps)})});
}

Lowered softmax_cross_entropy(const Operator& with) {
    Steps steps{with};
    const Part x = steps.operand(0);
    const host::Shape& shape = x.tensor.shape;
    if (shape.size() < 2) {
        throw Refused{"{} has no classes", x.tensor.text()};
    }
    const DataType type = x.tensor.type;
    host::Shape kept = shape;
    kept[1] = 1;
    LoopOf loop{{x}};
    const std::size_t most = loop.step(Op::reduce_max, {0}, kept, type, {}, {1});
    const std::size_t lower = loop.step(Op::sub, {0, most}, shape, type);
    const std::size_t powers = loop.step(Op::exp, {lower}, shape, type);
    const std::size_t sum = loop.step(Op::reduce_sum, {powers}, kept, type, {}, {1});
    const std::size_t ln = loop.step(Op::ln, {sum}, kept, type);
    const std::size_t logs = loop.step(Op::sub, {lower, ln}, shape, type);
    const Part probabilities = steps.run(loop.outputs({logs}), {x})[0];
    std::vector<Part> results{
        reduced(steps, {.logs = probabilities, .labels = steps.operand(1), .weight = weight_of(steps)})};
    if (with.node.outputs.size() > 1) {
        results.push_back(probabilities);
    }
    return steps.done(results);
}

}  // namespace

Operators losses_operators() {
    return {{"NegativeLogLikelihoodLoss", nll}, {"SoftmaxCrossEntropyLoss", softmax_cross_entropy}};
}

}  // namespace ascendsim::networks
