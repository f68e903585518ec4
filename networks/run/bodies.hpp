// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

using Names = std::map<std::string, std::string, std::less<>>;

/// A network within an operator, ready to stand around it.
struct Body {
    std::vector<Node> nodes;
    std::vector<std::string> outputs;
    std::map<std::string, Tensor, std::less<>> constants;
};

/// The body with other names for what is its own, so that several can stand in one network: results of nodes
/// get `prefix` in front, constants `constants_prefix`. `inputs` are what its inputs stand for.
[[nodiscard]] Body body_of(const Graph& graph,
                           const std::string& prefix,
                           const std::string& constants_prefix,
                           Names inputs);

/// Nodes of a network, those within operators among them.
[[nodiscard]] std::size_t count_nodes(const Graph& graph);

/// A node that hands on a tensor under another name; the note is shown with it.
[[nodiscard]] Node handed_on(const Node& of, std::string from, std::string to, std::string note = {});

}  // namespace ascendsim::networks
