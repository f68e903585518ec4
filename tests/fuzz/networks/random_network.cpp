// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/networks/random_network.hpp"

#include <array>
#include <random>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace ascendsim::fuzz {
namespace {

using networks::Attribute;
using networks::Node;
using Attributes = std::map<std::string, Attribute, std::less<>>;

class Generator {
public:
    explicit Generator(std::uint32_t seed) : random_{seed}, beyond_half_{seed % 8 == 0} {
        network_.graph.name = fmt::format("seed_{}", seed);
        network_.graph.opset = 13;  // axes of means and maxima are attributes
        network_.precision = below(3) == 0 ? networks::Precision::as_stated : networks::Precision::half;
        const std::size_t rank = 2 + below(2);
        for (std::size_t d = 0; d < rank; ++d) {
            constexpr std::array<std::uint64_t, 6> widths{16, 31, 32, 48, 64, 100};
            shape_.push_back(d + 1 == rank ? widths.at(below(widths.size())) : 1 + below(9));
        }
    }

    RandomNetwork run() {
        names_ = {input("x"), input("r")};
        const std::size_t count = 2 + below(6);
        for (std::size_t i = 0; i < count; ++i) {
            add_operators();
        }
        if (beyond_half_) {
            names_.push_back(beyond_half(any_of()));
        }
        node("Add", {any_of(), names_.back()}, "y");
        network_.graph.outputs = {"y"};
        if (below(3) == 0 && names_.size() > 2) {  // an intermediate is asked for, too
            network_.graph.outputs.push_back(names_[2 + below(names_.size() - 2)]);
        }
        networks::sort_nodes(network_.graph);
        return std::move(network_);
    }

private:
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }

    double value() { return static_cast<double>(static_cast<std::int64_t>(random_() % 2001) - 1000) / 1000; }

    std::vector<double> values(const host::Shape& shape, double scale) {
        std::vector<double> list(host::elements(shape));
        for (double& one : list) {
            one = scale * value();
        }
        return list;
    }

    std::string input(const std::string& name) {
        network_.graph.inputs.push_back({.name = name, .type = isa::DataType::float32, .shape = {}});
        network_.shapes[name] = shape_;
        network_.elements[name] = values(shape_, 1);
        return name;
    }

    std::string weight(const host::Shape& shape, double scale, double plus = 0) {
        const std::string name = fmt::format("w{}", weights_++);
        std::vector<double> list = values(shape, scale);
        for (double& one : list) {
            one += plus;
        }
        network_.graph.constants[name] = networks::constant(isa::DataType::float32, shape, std::move(list));
        return name;
    }

    std::string number(double one) {
        const std::string name = fmt::format("n{}", weights_++);
        network_.graph.constants[name] = networks::constant(isa::DataType::float32, {}, {one});
        return name;
    }

    std::string whole(std::vector<double> list) {
        const std::string name = fmt::format("i{}", weights_++);
        const host::Shape shape{list.size()};
        network_.graph.constants[name] = networks::constant(isa::DataType::int64, shape, std::move(list));
        return name;
    }

    std::string node(std::string op,
                     std::vector<std::string> inputs,
                     std::string output = {},
                     Attributes with = {}) {
        output = output.empty() ? fmt::format("t{}", tensors_++) : output;
        network_.graph.nodes.push_back({.name = output,
                                        .op = std::move(op),
                                        .inputs = std::move(inputs),
                                        .outputs = {output},
                                        .attributes = std::move(with)});
        return output;
    }

    std::string any_of() { return names_[below(names_.size())]; }

    /// Each keeps the network's shape, and values within a few ones.
    void add_operators() {
        const std::string x = any_of();
        switch (below(11)) {
            case 0:
            case 1: {
                constexpr std::array unary{"Relu", "Sigmoid", "Tanh", "Abs", "Neg", "Erf", "Sin", "Cos"};
                names_.push_back(node(unary.at(below(unary.size())), {x}));
                return;
            }
            case 2: {
                constexpr std::array binary{"Max", "Min", "Sub"};
                names_.push_back(bounded(node(binary.at(below(binary.size())), {x, any_of()})));
                return;
            }
            case 3:
                names_.push_back(node("Mul", {node("Tanh", {x}), any_of()}));
                return;
            case 4:
                names_.push_back(node("Mul", {node("Add", {x, spread_weight()}), number(0.5)}));
                return;
            case 5:
                names_.push_back(node("Softmax", {x}, {}, {{"axis", std::int64_t{-1}}}));
                return;
            case 6:
                names_.push_back(reduced(x));
                return;
            case 7:
                names_.push_back(norm(x));
                return;
            case 8:
                names_.push_back(product(x));
                return;
            case 9:
                names_.push_back(activation(x));
                return;
            default:
                names_.push_back(seen_otherwise(x));
        }
    }

    std::string bounded(const std::string& x) { return node("Clip", {x, number(-3), number(3)}); }

    /// A row, a column, a number or a whole tensor.
    std::string spread_weight() {
        host::Shape shape = shape_;
        for (std::uint64_t& extent : shape) {
            extent = below(2) == 0 ? 1 : extent;
        }
        return weight(shape, 1);
    }

    std::string reduced(const std::string& x) {
        constexpr std::array kinds{"ReduceMean", "ReduceMax", "ReduceMin"};
        const Attributes last{{"axes", std::vector<std::int64_t>{-1}}};
        return node("Sub", {x, node(kinds.at(below(kinds.size())), {x}, {}, last)});
    }

    std::string norm(const std::string& x) {
        const std::string scale = weight({shape_.back()}, 0.25, 1);
        const std::string centred =
            node("Sub", {x, node("ReduceMean", {x}, {}, {{"axes", std::vector<std::int64_t>{-1}}})});
        const std::string variance = node(
            "ReduceMean", {node("Mul", {centred, centred})}, {}, {{"axes", std::vector<std::int64_t>{-1}}});
        const std::string root = node("Sqrt", {node("Add", {variance, number(0.125)})});
        const std::string normal = node("Mul", {node("Div", {centred, root}), scale});
        return bounded(below(2) == 0 ? node("Add", {normal, weight({shape_.back()}, 0.25)}) : normal);
    }

    /// By a square matrix, perhaps with a row, perhaps another one beside it.
    std::string product(const std::string& x) {
        const std::uint64_t n = shape_.back();
        const double scale = 1.5 / static_cast<double>(n);
        std::string y = node("MatMul", {x, weight({n, n}, scale)});
        if (below(2) == 0) {
            y = node("Add", {y, weight({n}, 0.5)});
        }
        if (below(3) == 0) {
            y = node("Mul", {y, node("Sigmoid", {node("MatMul", {x, weight({n, n}, scale)})})});
        }
        return y;
    }

    std::string activation(const std::string& x) {
        switch (below(3)) {
            case 0:
                return node("Mul", {x, node("Sigmoid", {x})});
            case 1: {
                const std::string erf = node("Erf", {node("Div", {x, number(1.4142135)})});
                return node("Mul", {node("Mul", {x, node("Add", {erf, number(1)})}), number(0.5)});
            }
            default:
                return node("LeakyRelu", {x}, {}, {{"alpha", 0.1}});
        }
    }

    /// Another shape and back, or the axes turned twice, around an activation.
    std::string seen_otherwise(const std::string& x) {
        if (shape_.size() == 2 || below(2) == 0) {
            const auto all = static_cast<double>(host::elements(shape_));
            const std::string flat = node("Tanh", {node("Reshape", {x, whole({all})})});
            return node("Reshape", {flat, whole({shape_.begin(), shape_.end()})});
        }
        const Attributes turn{{"perm", std::vector<std::int64_t>{1, 0, 2}}};
        return node("Transpose", {node("Sigmoid", {node("Transpose", {x}, {}, turn)})}, {}, turn);
    }

    /// Through numbers that float16 cannot hold.
    std::string beyond_half(const std::string& x) {
        constexpr double large = 1048576;  // 2^20; float16 ends at 65504
        switch (below(4)) {
            case 0:
                return node("Div",
                            {node("Add", {node("Mul", {x, number(large)}), spread_weight()}), number(large)});
            case 1: {
                const std::string clipped =
                    node("Clip", {node("Mul", {x, number(large)}), number(-3 * large), number(3 * large)});
                return node("Mul", {clipped, number(1 / large)});
            }
            case 2:
                return node("Softmax", {node("Where", {mask(), x, number(-1e9)})}, {}, last_axis());
            default: {
                const std::string flags = node("Cast", {mask()}, {}, {{"to", std::int64_t{1}}});
                const std::string added = node("Mul", {node("Sub", {number(1), flags}), number(-3.4e38)});
                return node("Softmax", {node("Add", {x, added})}, {}, last_axis());
            }
        }
    }

    static Attributes last_axis() { return {{"axis", std::int64_t{-1}}}; }

    /// What of a row is kept: the first element at least.
    std::string mask() {
        const std::string name = fmt::format("m{}", weights_++);
        std::vector<double> kept(shape_.back());
        for (double& one : kept) {
            one = static_cast<double>(below(2));
        }
        kept[0] = 1;
        network_.graph.constants[name] =
            networks::constant(isa::DataType::boolean, {shape_.back()}, std::move(kept));
        return name;
    }

    std::mt19937 random_;
    bool beyond_half_;  // in every eighth network
    host::Shape shape_;
    RandomNetwork network_;
    std::vector<std::string> names_;  // of the network's shape
    std::size_t tensors_ = 0;
    std::size_t weights_ = 0;
};

}  // namespace

RandomNetwork random_network(std::uint32_t seed) {
    return Generator{seed}.run();
}

}  // namespace ascendsim::fuzz
