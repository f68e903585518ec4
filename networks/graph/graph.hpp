// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kernels/plan/knob.hpp"
#include "models/port/data_type.hpp"
#include "networks/graph/tensor.hpp"

namespace ascendsim::networks {

/// What an attribute of a node may hold.
using Attribute = std::variant<std::int64_t,
                               double,
                               std::string,
                               std::vector<std::int64_t>,
                               std::vector<double>,
                               std::vector<std::string>,
                               Tensor>;

struct Graph;

/// One operator of a network. An empty name among the inputs is an operand that is left out.
struct Node {
    std::string name;
    std::string op;  // as in "Conv"; with its domain in front unless that is ONNX's own
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::map<std::string, Attribute, std::less<>> attributes;
    /// Networks within the operator, as of If; their nodes may take tensors from around it.
    std::map<std::string, std::shared_ptr<const Graph>, std::less<>> branches = {};

    [[nodiscard]] bool has(std::string_view attribute) const { return attributes.contains(attribute); }

    /// The attribute, or `otherwise` if the node has none of this name. Throws UserError if it is of another
    /// type.
    [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t otherwise) const;
    [[nodiscard]] double real(std::string_view attribute, double otherwise) const;
    [[nodiscard]] std::string word(std::string_view attribute, std::string otherwise) const;
    [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute,
                                                     std::vector<std::int64_t> otherwise) const;

    /// "Conv 'layer1.0'", for messages.
    [[nodiscard]] std::string title() const;
};

/// One extent of an input: a number, or a name that is bound when the network runs.
using Extent = std::variant<std::uint64_t, std::string>;

/// What a network takes.
struct Input {
    std::string name;
    isa::DataType type = isa::DataType::float32;
    std::vector<Extent> shape;
    bool keeps_type = false;  // held as stated where others are held as float16
};

/// A network as a file states it: nodes name the tensors between them.
struct Graph {
    std::string name;
    std::int64_t opset = 0;
    std::vector<Input> inputs;
    std::vector<std::string> outputs;
    std::map<std::string, Tensor, std::less<>> constants;  // weights among them
    std::vector<Node> nodes;
};

/// True for an input that stands for a weight: the text form has no room for those.
[[nodiscard]] inline bool is_weight(std::string_view input) {
    return input.starts_with("weights_");
}

/// Puts the nodes into an order in which each comes behind those whose results it takes, and otherwise leaves
/// them as they are. Throws UserError for a tensor that nobody makes, one made twice, and a cycle.
void sort_nodes(Graph& graph);

/// Extents of the inputs: `given` by name, as in "x=1x3x224x224", or an open extent by its name, as in
/// "sequence=128"; the others as the graph states them. A name of an extent that several inputs share is
/// bound once, and a first extent that nobody bound is `batch`. Throws UserError for unknown names, extents
/// that differ, and those that stay unbound.
[[nodiscard]] std::map<std::string, host::Shape, std::less<>> bind_inputs(
    const Graph& graph, const std::vector<std::string>& given, std::uint64_t batch);

/// The network with the first extent of its inputs open, whose name is "batch", if the file fixes it; as it
/// is, if an input leaves its first extent open. Throws UserError where inputs fix different ones.
[[nodiscard]] Graph with_open_batch(Graph graph);

}  // namespace ascendsim::networks
