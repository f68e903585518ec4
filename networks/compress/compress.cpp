// SPDX-License-Identifier: Apache-2.0
#include "networks/compress/compress.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "networks/operators/steps.hpp"
#include "networks/parallel/share_layers.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using isa::DataType;
using Shapes = std::map<std::string, host::Shape, std::less<>>;

constexpr double largest_byte = 127;

/// Weights whose elements are given become constants: they are cut and quantised here.
void take_given(CompressedNetwork& network, const Lowering& lowering) {
    std::erase_if(network.graph.inputs, [&](const Input& input) {
        const auto given = lowering.given.find(input.name);
        if (!is_weight(input.name) || given == lowering.given.end()) {
            return false;
        }
        network.graph.constants[input.name] =
            constant(input.type, network.shapes.at(input.name), given->second);
        network.shapes.erase(input.name);
        return true;
    });
}

/// Nodes of devices that exchange something, of which there is one here.
void leave_out_exchanges(Graph& graph) {
    std::map<std::string, std::string> same;
    std::vector<Node> nodes;
    for (Node& node : graph.nodes) {
        for (std::string& input : node.inputs) {
            if (const auto found = same.find(input); found != same.end()) {
                input = found->second;
            }
        }
        if (node.op == "ShareCopy" || node.op == "ShareSum") {
            same[node.outputs[0]] = node.inputs[0];
        } else {
            nodes.push_back(std::move(node));
        }
    }
    for (const std::string& output : graph.outputs) {
        if (const auto found = same.find(output); found != same.end()) {
            nodes.push_back({.name = output,
                             .op = "Identity",
                             .inputs = {found->second},
                             .outputs = {output},
                             .attributes = {}});
        }
    }
    graph.nodes = std::move(nodes);
}

/// What one of several devices that share the layers would compute, without the others.
void prune(CompressedNetwork& network, const Lowering& lowering, std::uint32_t parts) {
    SharedLayers shared = share_layers(
        network.graph, network.shapes, lowering, {.tensor = parts, .experts = 1, .whole_results = true});
    network.graph = std::move(shared.graph);
    network.shapes = std::move(shared.shapes);
    leave_out_exchanges(network.graph);
    for (const auto& [weight, axis] : shared.strips) {
        network.pruned.push_back(weight);
    }
}

/// Weights (k, n), or (n, k) turned, as bytes with a scale for each column.
struct ByteWeights {
    Tensor bytes;
    Tensor scales;
};

ByteWeights byte_weights(const Tensor& weights, bool turned) {
    const std::uint64_t k = weights.shape[turned ? 1 : 0];
    const std::uint64_t n = weights.shape[turned ? 0 : 1];
    ByteWeights made{.bytes = {.type = DataType::int8, .shape = weights.shape, .values = {}},
                     .scales = {.type = DataType::float32, .shape = {n}, .values = {}}};
    if (!weights.known()) {
        return made;
    }
    const std::vector<double>& elements = *weights.values;
    const auto column = [&](std::uint64_t i) { return turned ? i / k : i % n; };
    std::vector<double> scales(n, 0);
    for (std::uint64_t i = 0; i < elements.size(); ++i) {
        scales[column(i)] = std::max(scales[column(i)], std::abs(elements[i]) / largest_byte);
    }
    std::vector<double> bytes(elements.size());
    for (std::uint64_t i = 0; i < elements.size(); ++i) {
        const double scale = scales[column(i)];
        bytes[i] = scale > 0 ? std::nearbyint(elements[i] / scale) : 0;
    }
    for (double& scale : scales) {
        scale *= static_cast<double>(sum_divisor(k));
    }
    made.bytes = constant(DataType::int8, weights.shape, std::move(bytes));
    made.scales = constant(DataType::float32, {n}, std::move(scales));
    return made;
}

constexpr std::uint64_t fractal_depth = 64;  // of k, for 32 kept weights of each of 16 columns
constexpr std::uint64_t fractal_columns = 16;

/// Bytes (k, n), or (n, k) turned, as the kernel sparse_matmul takes them: of every four in a column the two
/// that are largest, in fractals, and which these are.
struct KeptWeights {
    Tensor bytes;
    Tensor index;
};

KeptWeights kept_weights(const Tensor& bytes, bool turned) {
    const std::uint64_t k = bytes.shape[turned ? 1 : 0];
    const std::uint64_t n = bytes.shape[turned ? 0 : 1];
    const host::Shape blocks{k / fractal_depth, n / fractal_columns, fractal_columns};
    KeptWeights made{
        .bytes = {.type = DataType::int8, .shape = {blocks[0], blocks[1], blocks[2], 32}, .values = {}},
        .index = {.type = DataType::uint8, .shape = {blocks[0], blocks[1], blocks[2], 8}, .values = {}}};
    if (!bytes.known()) {
        return made;
    }
    std::vector<double> kept(made.bytes.count());
    std::vector<double> index(made.index.count());
    const auto weight = [&](std::uint64_t row, std::uint64_t column) {
        return (*bytes.values)[turned ? column * k + row : row * n + column];
    };
    for (std::uint64_t column = 0; column < n; ++column) {
        for (std::uint64_t group = 0; group < k / 4; ++group) {
            std::array<std::uint64_t, 4> order{0, 1, 2, 3};
            std::ranges::stable_sort(order, std::ranges::greater{}, [&](std::uint64_t i) {
                return std::abs(weight(4 * group + i, column));
            });
            const auto [low, high] = std::minmax(order[0], order[1]);
            const std::uint64_t row =
                (2 * group / 32 * blocks[1] + column / fractal_columns) * fractal_columns +
                column % fractal_columns;
            const std::uint64_t at = 2 * group % 32;
            kept[row * 32 + at] = weight(4 * group + low, column);
            kept[row * 32 + at + 1] = weight(4 * group + high, column);
            // the first index counts from element 0, the second from element 1
            index[row * 8 + at / 4] += static_cast<double>((low | (high - 1) << 2U) << (at % 4 * 2));
        }
    }
    made.bytes = constant(DataType::int8, made.bytes.shape, std::move(kept));
    made.index = constant(DataType::uint8, made.index.shape, std::move(index));
    return made;
}

class Quantiser {
public:
    Quantiser(CompressedNetwork& network, const Tensors& tensors, const ChipSpec& chip, bool sparse)
        : network_{network}, tensors_{tensors}, blocks_{chip.arch != "2201"}, sparse_{sparse} {}

    void run() {
        std::vector<Node> nodes = std::move(network_.graph.nodes);
        network_.graph.nodes.clear();
        for (Node& node : nodes) {
            if (takes(node)) {
                quantise(node);
            } else {
                used_.insert(node.inputs.begin(), node.inputs.end());
                network_.graph.nodes.push_back(std::move(node));
            }
        }
        for (const std::string& weight : replaced_) {
            if (!used_.contains(weight)) {
                network_.graph.constants.erase(weight);
                network_.shapes.erase(weight);
                std::erase_if(network_.graph.inputs,
                              [&](const Input& input) { return input.name == weight; });
            }
        }
    }

private:
    /// A product of rows by a matrix of weights. Chips that copy whole blocks take depths of these.
    [[nodiscard]] bool takes(const Node& node) const {
        if ((node.op != "MatMul" && node.op != "Gemm") || node.inputs.size() < 2) {
            return false;
        }
        const auto x = tensors_.find(node.inputs[0]);
        const auto w = tensors_.find(node.inputs[1]);
        const bool weights = is_weight(node.inputs[1]) || network_.graph.constants.contains(node.inputs[1]);
        if (!weights || x == tensors_.end() || w == tensors_.end() || w->second.shape.size() != 2 ||
            x->second.shape.size() < 2 || !is_real(x->second.type) || x->second.known() ||
            node.integer("transA", 0) != 0 || node.real("alpha", 1) != 1 || node.real("beta", 1) != 1) {
            return false;
        }
        constexpr std::uint64_t block = 32;
        return !blocks_ || (x->second.shape.back() % block == 0 && w->second.shape[0] % block == 0 &&
                            w->second.shape[1] % block == 0);
    }

    void quantise(const Node& node) {
        const std::string& x = node.inputs[0];
        const std::string& w = node.inputs[1];
        const std::string& y = node.outputs[0];
        if (rows_.insert(x).second) {
            add("QuantiseRows", {x}, {x + "/bytes", x + "/scales"});
        }
        const bool turned = node.integer("transB", 0) != 0;
        const std::string stem = w + (turned ? "/turned" : "");  // one weight may serve both ways
        const auto constant_weights = network_.graph.constants.find(w);
        ByteWeights bytes =
            byte_weights(constant_weights != network_.graph.constants.end() ? constant_weights->second
                                                                            : tensors_.find(w)->second,
                         turned);
        const bool biased = node.inputs.size() > 2 && !node.inputs[2].empty();
        const std::string product = biased ? y + "/product" : y;
        const host::Shape& shape = bytes.bytes.shape;
        if (sparse_ && shape[turned ? 1 : 0] % fractal_depth == 0 &&
            shape[turned ? 0 : 1] % fractal_columns == 0) {
            KeptWeights kept = kept_weights(bytes.bytes, turned);
            network_.graph.constants[stem + "/kept"] = std::move(kept.bytes);
            network_.graph.constants[stem + "/index"] = std::move(kept.index);
            add("SparseProduct",
                {x + "/bytes", x + "/scales", stem + "/kept", stem + "/scales", stem + "/index"},
                {product});
            network_.sparse.push_back(y);
        } else {
            network_.graph.constants[stem + "/bytes"] = std::move(bytes.bytes);
            add("ByteProduct",
                {x + "/bytes", x + "/scales", stem + "/bytes", stem + "/scales"},
                {product},
                {{"transB", std::int64_t{turned ? 1 : 0}}});
        }
        network_.graph.constants[stem + "/scales"] = std::move(bytes.scales);
        replaced_.insert(w);
        if (biased) {
            used_.insert(node.inputs[2]);
            add("Add", {y + "/product", node.inputs[2]}, {y});
        }
        network_.quantised.push_back(y);
    }

    void add(std::string op,
             std::vector<std::string> inputs,
             std::vector<std::string> outputs,
             std::map<std::string, Attribute, std::less<>> attributes = {}) {
        used_.insert(inputs.begin(), inputs.end());
        network_.graph.nodes.push_back({.name = outputs[0],
                                        .op = std::move(op),
                                        .inputs = std::move(inputs),
                                        .outputs = std::move(outputs),
                                        .attributes = std::move(attributes)});
    }

    CompressedNetwork& network_;
    const Tensors& tensors_;
    bool blocks_;
    bool sparse_;
    std::set<std::string> rows_;      // whose bytes are made
    std::set<std::string> replaced_;  // weights
    std::set<std::string> used_;      // tensors
};

}  // namespace

std::uint64_t sum_divisor(std::uint64_t k) {
    // 127^2 k / 2^15 < k / 2 < bit_floor(k)
    return std::bit_floor(std::max<std::uint64_t>(1, k));
}

CompressedNetwork compress(const Graph& graph,
                           const Shapes& shapes,
                           const Lowering& lowering,
                           const Compression& compression) {
    if (compression.sparse && lowering.chip.arch != "2201") {
        throw UserError{"{} multiplies by no weights of which two in four are kept", lowering.chip.name};
    }
    CompressedNetwork network{.graph = graph, .shapes = shapes, .quantised = {}, .sparse = {}, .pruned = {}};
    take_given(network, lowering);
    if (compression.prune > 1) {
        prune(network, lowering, compression.prune);
    }
    if (compression.int8 || compression.sparse) {
        const NetworkPlan plan = plan_network(network.graph, network.shapes, lowering);
        Quantiser{network, plan.tensors, lowering.chip, compression.sparse}.run();
        if (network.quantised.empty()) {
            throw UserError{
                "'{}' has no product that can multiply bytes: MatMul or Gemm by a matrix of weights{}",
                graph.name,
                lowering.chip.arch == "2201" ? "" : " whose extents are multiples of 32"};
        }
    }
    return network;
}

}  // namespace ascendsim::networks
