// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

/// What is known while a network's nodes are gone through.
struct Known {
    /// The elements of a tensor, if they are.
    std::function<std::optional<std::vector<double>>(const std::string& tensor)> elements;
    /// The extents of a tensor, if they are.
    std::function<std::optional<host::Shape>(const std::string& tensor)> shape;
    /// Makes a constant of integers and tells its name.
    std::function<std::string(const std::string& wanted, host::Shape shape, std::vector<double> values)>
        constant;
};

/// Lists of tensors, which no memory of a device holds: they are followed by name.
class Sequences {
public:
    explicit Sequences(Known known) : known_{std::move(known)} {}

    /// What stands for a node that makes or reads a sequence; nothing for other nodes. A node whose place or
    /// extents are not known yet stays, without its sequence.
    [[nodiscard]] std::optional<std::vector<Node>> take(const Node& node);

    /// A node that lays tensors beside each other along `axis`, which they get by nodes of their own if
    /// `grow`.
    [[nodiscard]] std::vector<Node> joined(const Node& of,
                                           const std::vector<std::string>& parts,
                                           const std::string& output,
                                           std::int64_t axis,
                                           bool grow);

private:
    using List = std::vector<std::string>;

    [[nodiscard]] const List* list_of(const Node& node) const;
    [[nodiscard]] std::optional<std::size_t> place(const Node& node,
                                                   std::size_t operand,
                                                   std::size_t last,
                                                   std::size_t otherwise) const;
    [[nodiscard]] std::optional<std::vector<Node>> change(const Node& node, const List& list);
    [[nodiscard]] std::optional<std::vector<Node>> read(const Node& node, const List& list);
    [[nodiscard]] std::optional<std::vector<Node>> split(const Node& node);

    Known known_;
    std::map<std::string, List, std::less<>> lists_;
};

}  // namespace ascendsim::networks
