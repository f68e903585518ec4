// SPDX-License-Identifier: Apache-2.0
// Random numbers: the AI CPU's, of a generator that starts with the operator's seed, or always in the same
// way. No two libraries draw the same ones.
#include <cmath>

#include "networks/operators/steps.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using Numbers = std::vector<double>;

/// Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_{seed} {}

    /// From 0 on, below 1.
    double uniform() {
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
        return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
    }

    /// Box and Muller's, of mean 0 and deviation 1.
    double normal() {
        const double radius = std::sqrt(-2 * std::log(1 - uniform()));
        return radius * std::cos(2 * M_PI * uniform());
    }

private:
    std::uint64_t state_;
};

std::uint64_t seed_of(const Operator& with) {
    std::uint64_t seed = static_cast<std::uint64_t>(with.node.real("seed", 0) * 1024);
    for (const char letter : with.node.outputs.empty() ? std::string{} : with.node.outputs[0]) {
        seed = seed * 31 + static_cast<unsigned char>(letter);  // each operator draws others
    }
    return seed;
}

DataType stated_type(const Operator& with, DataType otherwise) {
    switch (with.node.integer("dtype", 0)) {  // by TensorProto.DataType in onnx.proto
        case 0:
            return otherwise;
        case 1:
            return with.held(DataType::float32);
        case 6:
            return DataType::int32;
        case 7:
            return DataType::int64;
        case 9:
            return DataType::boolean;
        case 10:
            return DataType::half;
        case 11:
            return DataType::float64;
        default:
            throw Refused{"random numbers by this number of 'dtype'"};
    }
}

Lowered drawn(const Operator& with, bool normal, bool like) {
    Steps steps{with};
    host::Shape shape;
    if (like) {
        shape = with.input(0).shape;
    } else {
        for (const std::int64_t extent : with.node.integers("shape", {})) {
            shape.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 0)));
        }
    }
    const DataType type = stated_type(with, like ? with.input(0).type : with.held(DataType::float32));
    const double first = normal ? with.node.real("mean", 0) : with.node.real("low", 0);
    const double second = normal ? with.node.real("scale", 1) : with.node.real("high", 1) - first;
    const HostFunction function = [=, seed = seed_of(with)](const std::vector<Numbers>&) {
        Random random{seed};
        Numbers values(host::elements(shape));
        for (double& value : values) {
            value = first + second * (normal ? random.normal() : random.uniform());
        }
        return std::vector<Numbers>{std::move(values)};
    };
    const std::vector<Part> reads = like ? std::vector{steps.operand(0)} : std::vector<Part>{};
    return steps.done(steps.on_host(function, reads, {{.type = type, .shape = shape}}));
}

Lower random_of(bool normal, bool like) {
    return [normal, like](const Operator& with) { return drawn(with, normal, like); };
}

/// 1 with the probability that the operand states.
Lowered bernoulli(const Operator& with) {
    Steps steps{with};
    const Tensor& x = with.input(0);
    const HostFunction function = [seed = seed_of(with)](const std::vector<Numbers>& operands) {
        Random random{seed};
        Numbers values;
        for (const double probability : operands[0]) {
            values.push_back(random.uniform() < probability ? 1 : 0);
        }
        return std::vector<Numbers>{std::move(values)};
    };
    return steps.done(
        steps.on_host(function, {steps.operand(0)}, {{.type = stated_type(with, x.type), .shape = x.shape}}));
}

}  // namespace

Operators random_operators() {
    return {{"RandomNormal", random_of(true, false)},
            {"RandomNormalLike", random_of(true, true)},
            {"RandomUniform", random_of(false, false)},
            {"RandomUniformLike", random_of(false, true)},
            {"Bernoulli", bernoulli}};
}

}  // namespace ascendsim::networks
