// SPDX-License-Identifier: Apache-2.0
// Norms of each channel by statistics that are stated, or by those of the batch.
#include <algorithm>
#include <numeric>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

struct ChannelNorm {
    Part x;
    host::Shape channels;        // one for each channel, spread over x
    std::vector<Part> operands;  // scale, bias, mean, variance
    double epsilon = 1e-5;
};

/// One kernel: what does not depend on x is computed once for each tile, or folded where it is known.
Part normalised(Steps& steps, const ChannelNorm& norm) {
    const Part& x = norm.x;
    const host::Shape& shape = x.tensor.shape;
    const host::Shape& channels = norm.channels;
    const DataType type = x.tensor.type;
    const std::vector<Part>& of = norm.operands;
    if (std::ranges::all_of(of, &Part::known)) {
        const Part safe = steps.element(Op::scale, {of[3]}, {1, norm.epsilon});
        const Part factor = steps.element(Op::mul, {steps.element(Op::rsqrt, {safe}), of[0]});
        const Part term = steps.element(Op::sub, {of[1], steps.element(Op::mul, {of[2], factor})});
        LoopOf loop{{x, factor, term}};
        const std::size_t scaled = loop.step(Op::mul, {0, 1}, shape, type);
        return steps.run(loop.outputs({loop.step(Op::add, {scaled, 2}, shape, type)}), {x, factor, term})[0];
    }
    const std::vector<Part> reads{x, of[0], of[1], of[2], of[3]};
    LoopOf loop{reads};
    const std::size_t safe = loop.step(Op::scale, {4}, channels, type, {1, norm.epsilon});
    const std::size_t inverse = loop.step(Op::rsqrt, {safe}, channels, type);
    const std::size_t factor = loop.step(Op::mul, {inverse, 1}, channels, type);
    const std::size_t centred = loop.step(Op::sub, {0, 3}, shape, type);
    const std::size_t scaled = loop.step(Op::mul, {centred, factor}, shape, type);
    return steps.run(loop.outputs({loop.step(Op::add, {scaled, 2}, shape, type)}), reads)[0];
}

/// `old` times momentum, and the rest of `found`.
Part moved_on(Steps& steps, const Part& old, const Part& found, double momentum) {
    return steps.element(Op::add,
                         {steps.element(Op::scale, {old}, {momentum, 0}),
                          steps.element(Op::scale, {found}, {1 - momentum, 0})});
}

/// By the batch's own mean and variance, which also move the running ones.
Lowered by_batch(Steps& steps, ChannelNorm norm) {
    const host::Shape& shape = norm.x.tensor.shape;
    std::vector<std::size_t> axes(shape.size() - 1);
    std::iota(axes.begin(), axes.end(), std::size_t{1});
    axes[0] = 0;
    const DataType type = norm.x.tensor.type;
    const Part x = steps.cast(norm.x, wide_type(type));
    const Part mean = steps.reduce(Op::reduce_mean, x, axes);
    const Part variance =
        steps.reduce(Op::reduce_mean, steps.element(Op::square, {steps.element(Op::sub, {x, mean})}), axes);
    const double momentum = steps.with().node.real("momentum", 0.9);
    std::vector<Part> results;
    for (const bool second : {false, true}) {
        const std::size_t operand = second ? 4 : 3;
        const Part old = Steps::seen(steps.cast(steps.operand(operand), x.tensor.type), norm.channels);
        const Part made = moved_on(steps, old, second ? variance : mean, momentum);
        results.push_back(steps.cast(Steps::seen(made, {shape[1]}), steps.with().input(operand).type));
    }
    norm.operands[2] = steps.cast(Steps::seen(mean, norm.channels), type);
    norm.operands[3] = steps.cast(Steps::seen(variance, norm.channels), type);
    results.insert(results.begin(), normalised(steps, norm));
    results.resize(std::min(results.size(), steps.with().node.outputs.size()));
    return steps.done(results);
}

Lowered batch_norm(const Operator& with) {
    Steps steps{with};
    ChannelNorm norm{
        .x = steps.operand(0), .channels = {}, .operands = {}, .epsilon = with.node.real("epsilon", 1e-5)};
    const host::Shape& shape = norm.x.tensor.shape;
    if (shape.size() < 2) {
        throw Refused{"{} has no channels", norm.x.tensor.text()};
    }
    norm.channels.assign(shape.size() - 1, 1);
    norm.channels[0] = shape[1];
    for (std::size_t i = 1; i < 5; ++i) {
        norm.operands.push_back(steps.cast(Steps::seen(steps.operand(i), norm.channels), norm.x.tensor.type));
    }
    if (with.node.integer("training_mode", 0) != 0) {
        return by_batch(steps, std::move(norm));
    }
    return steps.done({normalised(steps, norm)});
}

}  // namespace

Operators batch_norms_operators() {
    return {{"BatchNormalization", batch_norm}};
}

}  // namespace ascendsim::networks
