// SPDX-License-Identifier: Apache-2.0
// Optimisers: one kernel over the elements of a weight, its gradient and its moments, which are float32 and
// are written where they were read. Weights that are held as float16 have a float32 master, and the kernel
// writes their copy, too.
#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using loops::Op;

/// An update while it is written: all arithmetic is in float32.
class Update {
public:
    explicit Update(const Operator& with)
        : with_{with}, steps_{with}, parts_{operands(steps_)}, loop_{parts_} {}

    std::size_t operator()(Op op, std::vector<std::size_t> inputs, std::vector<double> constants = {}) {
        return loop_.step(op, std::move(inputs), shape(), parts_[0].tensor.type, std::move(constants));
    }

    [[nodiscard]] double real(std::string_view attribute) const { return with_.node.real(attribute, 0); }

    /// The gradient without the loss scale.
    std::size_t gradient() { return (*this)(Op::mul, {(*this)(Op::cast, {1}), 2}); }

    Lowered done(std::vector<std::size_t> results) {
        if (with_.node.integer("copies", 0) != 0) {
            results.push_back(loop_.step(Op::cast, {results[0]}, shape(), parts_[1].tensor.type));
        }
        Lowered lowered = steps_.done(steps_.run(loop_.outputs(results), parts_));
        lowered.keeps_types = true;
        lowered.in_place = true;
        return lowered;
    }

private:
    static std::vector<Part> operands(const Steps& steps) {
        std::vector<Part> parts;
        for (std::size_t i = 0; i < steps.with().inputs.size(); ++i) {
            parts.push_back(steps.operand(i));
        }
        return parts;
    }

    [[nodiscard]] const host::Shape& shape() const { return parts_[0].tensor.shape; }

    const Operator& with_;
    Steps steps_;
    std::vector<Part> parts_;
    LoopOf loop_;
};

/// weights, gradient, gradient factor, step size, momentum: m' = momentum m + g, w' = w - step m'.
Lowered apply_momentum(const Operator& with) {
    Update update{with};
    std::size_t g = update.gradient();
    if (const double decay = update.real("weight_decay"); decay != 0) {
        g = update(Op::add, {g, update(Op::scale, {0}, {decay, 0})});
    }
    const std::size_t moment = update(Op::add, {update(Op::scale, {4}, {update.real("momentum"), 0}), g});
    const std::size_t weights = update(Op::sub, {0, update(Op::mul, {moment, 3})});
    return update.done({weights, moment});
}

/// weights, gradient, gradient factor, step size / (1 - beta1^t), 1 / sqrt(1 - beta2^t), both moments:
/// w' = w - step m' / (sqrt(v') factor + epsilon). Decoupled decay shrinks w before.
Lowered apply_adam(const Operator& with) {
    Update update{with};
    const double beta1 = update.real("beta1");
    const double beta2 = update.real("beta2");
    const double decay = update.real("weight_decay");
    const bool decoupled = with.node.integer("decoupled", 0) != 0;
    std::size_t g = update.gradient();
    if (decay != 0 && !decoupled) {
        g = update(Op::add, {g, update(Op::scale, {0}, {decay, 0})});
    }
    const std::size_t moment =
        update(Op::add, {update(Op::scale, {5}, {beta1, 0}), update(Op::scale, {g}, {1 - beta1, 0})});
    const std::size_t square = update(Op::scale, {update(Op::square, {g})}, {1 - beta2, 0});
    const std::size_t variance = update(Op::add, {update(Op::scale, {6}, {beta2, 0}), square});
    const std::size_t root = update(Op::mul, {update(Op::sqrt, {variance}), 4});
    const std::size_t divisor = update(Op::scale, {root}, {1, update.real("epsilon")});
    const std::size_t step = update(Op::mul, {update(Op::div, {moment, divisor}), 3});
    const double kept = 1 - update.real("learning_rate") * decay;
    const std::size_t before = decoupled && decay != 0 ? update(Op::scale, {0}, {kept, 0}) : 0;
    return update.done({update(Op::sub, {before, step}), moment, variance});
}

}  // namespace

Operators optimisers_operators() {
    return {{"ApplyMomentum", apply_momentum}, {"ApplyAdam", apply_adam}};
}

}  // namespace ascendsim::networks
