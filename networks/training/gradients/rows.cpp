// SPDX-License-Identifier: Apache-2.0
// Gradients of reductions, norms and softmax.
#include <algorithm>
#include <numeric>

#include "networks/operators/operators.hpp"
#include "networks/training/backward.hpp"

namespace ascendsim::networks {
namespace {

/// The gradient of a sum over `axes` in the operand's shape, times a factor.
void give_repeated(const Differentiated& d, const std::vector<std::size_t>& axes, double factor) {
    Backward& b = d.backward;
    host::Shape kept = d.shape(0);
    for (const std::size_t axis : axes) {
        kept[axis] = 1;
    }
    const std::string seen = b.shape(d.output()) == kept ? d.gradient() : b.seen(d.gradient(), kept);
    b.give(d.input(0), b.add("Expand", {b.scaled(seen, factor), b.integers(as_integers(d.shape(0)))}));
}

Gradient gradient_of_reduction(bool mean) {
    return [mean](const Differentiated& d) {
        if (!d.wanted(0)) {
            return;
        }
        const std::size_t rank = d.shape(0).size();
        std::vector<std::size_t> axes;
        for (const std::int64_t axis : d.list("axes", 1)) {
            axes.push_back(Differentiated::axis(axis, rank));
        }
        if (axes.empty() && d.node.integer("noop_with_empty_axes", 0) == 0) {
            axes.resize(rank);
            std::iota(axes.begin(), axes.end(), std::size_t{0});
        }
        std::uint64_t count = 1;
        for (const std::size_t axis : axes) {
            count *= d.shape(0)[axis];
        }
        give_repeated(d, axes, mean ? 1 / static_cast<double>(count) : 1);
    };
}

void gradient_of_global_mean(const Differentiated& d) {
    std::vector<std::size_t> axes(d.shape(0).size() - 2);
    std::iota(axes.begin(), axes.end(), std::size_t{2});
    const host::Shape image{d.shape(0).begin() + 2, d.shape(0).end()};
    give_repeated(d, axes, 1 / static_cast<double>(host::elements(image)));
}

Gradient gradient_of_softmax(std::string op) {
    return [op](const Differentiated& d) {
        const bool old = d.opset < 13;
        const auto rank = static_cast<std::int64_t>(d.shape(0).size());
        const std::int64_t axis = d.node.integer("axis", old ? 1 : -1);
        if (old && axis != -1 && axis != rank - 1) {
            throw Refused{"{} of an opset before 13, over several axes", d.node.op};
        }
        d.backward.give(d.input(0), d.backward.add(op, {d.gradient(), d.output()}, {{"axis", axis}}));
    };
}

/// The operand's gradient, and what the scale's is the sum of; both are of one kernel.
void gradient_of_layer_norm(const Differentiated& d) {
    Backward& b = d.backward;
    const host::Shape& shape = d.shape(0);
    const std::size_t axis = Differentiated::axis(d.node.integer("axis", -1), shape.size());
    const std::vector<std::string> made =
        b.add_many("LayerNormGrad",
                   {d.gradient(), d.input(0), d.input(1)},
                   2,
                   {{"axis", static_cast<std::int64_t>(axis)}, {"epsilon", d.node.real("epsilon", 1e-5)}});
    b.give(d.input(0), made[0]);
    b.give_spread(d.input(1), made[1], shape);
    if (d.wanted(2)) {
        b.give_spread(d.input(2), d.gradient(), shape);
    }
}

void gradient_of_batch_norm(const Differentiated& d) {
    Backward& b = d.backward;
    if (d.node.outputs.size() < 3) {
        throw Refused{"statistics of the batch are not kept"};
    }
    const std::vector<std::string> made =
        b.add_many("BatchNormGrad", {d.gradient(), d.input(0), d.input(1), d.output(1), d.output(2)}, 3);
    b.give(d.input(0), made[0]);
    b.give(d.input(1), made[1]);
    b.give(d.input(2), made[2]);
}

}  // namespace

Gradients rows_gradients() {
    return {{"ReduceSum", gradient_of_reduction(false)},
            {"ReduceMean", gradient_of_reduction(true)},
            {"GlobalAveragePool", gradient_of_global_mean},
            {"Softmax", gradient_of_softmax("SoftmaxGrad")},
            {"LogSoftmax", gradient_of_softmax("LogSoftmaxGrad")},
            {"LayerNormalization", gradient_of_layer_norm},
            {"BatchNormTraining", gradient_of_batch_norm}};
}

}  // namespace ascendsim::networks
