// SPDX-License-Identifier: Apache-2.0
#include "networks/graph/graph.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using Shapes = std::map<std::string, host::Shape, std::less<>>;

template <class T>
T attribute_of(const Node& node, std::string_view name, T otherwise, std::string_view kind) {
    const auto found = node.attributes.find(name);
    if (found == node.attributes.end()) {
        return otherwise;
    }
    const T* value = std::get_if<T>(&found->second);
    if (value == nullptr) {
        throw UserError{"{}: attribute '{}' must be {}", node.title(), name, kind};
    }
    return *value;
}

/// The index of the node that makes each tensor.
std::map<std::string, std::size_t, std::less<>> makers_of(const Graph& graph) {
    std::set<std::string, std::less<>> given;
    for (const Input& input : graph.inputs) {
        given.insert(input.name);
    }
    std::map<std::string, std::size_t, std::less<>> makers;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const std::string& output : graph.nodes[i].outputs) {
            if (!output.empty() &&
                (given.contains(output) || graph.constants.contains(output) || makers.contains(output))) {
                throw UserError{"{}: tensor '{}' is made twice", graph.nodes[i].title(), output};
            }
            makers[output] = i;
        }
    }
    return makers;
}

/// Visits the nodes that others need before those others.
class Sorter {
public:
    explicit Sorter(const Graph& graph)
        : graph_{graph}, makers_{makers_of(graph)}, left_(graph.nodes.size()) {
        for (const Input& input : graph.inputs) {
            given_.insert(input.name);
        }
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            for (const std::string& input : graph.nodes[i].inputs) {
                note(i, input);
            }
        }
    }

    /// The nodes' indices; among those that could come next, the first of the file does.
    [[nodiscard]] std::vector<std::size_t> order() {
        std::set<std::size_t> ready;
        for (std::size_t i = 0; i < left_.size(); ++i) {
            if (left_[i] == 0) {
                ready.insert(i);
            }
        }
        std::vector<std::size_t> order;
        while (!ready.empty()) {
            const std::size_t next = *ready.begin();
            ready.erase(ready.begin());
            order.push_back(next);
            for (const std::size_t user : users_[next]) {
                if (--left_[user] == 0) {
                    ready.insert(user);
                }
            }
        }
        return order;
    }

    [[nodiscard]] bool waits(std::size_t node) const { return left_[node] != 0; }

private:
    void note(std::size_t node, const std::string& input) {
        if (input.empty() || given_.contains(input) || graph_.constants.contains(input)) {
            return;
        }
        const auto maker = makers_.find(input);
        if (maker == makers_.end()) {
            throw UserError{"{} takes '{}', which is no input, no constant and no result of another node",
                            graph_.nodes[node].title(),
                            input};
        }
        users_[maker->second].push_back(node);
        ++left_[node];
    }

    const Graph& graph_;
    std::map<std::string, std::size_t, std::less<>> makers_;
    std::set<std::string, std::less<>> given_;
    std::map<std::size_t, std::vector<std::size_t>> users_;
    std::vector<std::size_t> left_;  // operands that are not there yet
};

host::Shape parse_shape(std::string_view text, std::string_view whole) {
    constexpr std::uint64_t most = std::uint64_t{1} << 32U;
    host::Shape shape;
    while (!text.empty()) {
        std::uint64_t extent = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), extent);
        if (error == std::errc::result_out_of_range || (error == std::errc{} && extent > most)) {
            throw UserError{"--input {}: an extent is {} at most", whole, most};
        }
        if (error != std::errc{} || (end != text.data() + text.size() && *end != 'x')) {
            throw UserError{"--input {}: write NAME=1x3x224x224", whole};
        }
        shape.push_back(extent);
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        text.remove_prefix(text.empty() ? 0 : 1);
    }
    return shape;
}

/// Names of extents that the network's own inputs leave open.
std::vector<std::string> open_extents(const Graph& graph) {
    std::vector<std::string> names;
    for (const Input& input : graph.inputs) {
        for (const Extent& extent : input.shape) {
            const auto* name = std::get_if<std::string>(&extent);
            if (name != nullptr && std::ranges::find(names, *name) == names.end()) {
                names.push_back(*name);
            }
        }
    }
    return names;
}

/// What was given: shapes of inputs, and numbers for names of extents.
struct Given {
    Shapes shapes;
    std::map<std::string, std::uint64_t> extents;
};

Given parse_given(const Graph& graph, const std::vector<std::string>& given) {
    std::vector<std::string> names;
    for (const Input& input : graph.inputs) {
        if (!is_weight(input.name)) {
            names.push_back(input.name);
        }
    }
    const std::vector<std::string> open = open_extents(graph);
    Given parsed;
    for (const std::string& text : given) {
        const std::size_t equals = text.rfind('=');
        if (equals == std::string::npos) {
            throw UserError{"--input {}: write NAME=1x3x224x224", text};
        }
        const std::string name = text.substr(0, equals);
        const host::Shape shape = parse_shape(std::string_view{text}.substr(equals + 1), text);
        if (std::ranges::find(names, name) != names.end()) {
            parsed.shapes[name] = shape;
        } else if (std::ranges::find(open, name) != open.end() && shape.size() == 1) {
            parsed.extents[name] = shape[0];
        } else {
            std::vector<std::string> all = names;
            all.insert(all.end(), open.begin(), open.end());
            throw UserError{"--input {}: the network has no input '{}'{}; inputs: {}; open extents: {}",
                            text,
                            name,
                            nearest_hint(name, all),
                            fmt::join(names, ", "),
                            open.empty() ? "none" : fmt::format("{}", fmt::join(open, ", "))};
        }
    }
    return parsed;
}

/// Binds names of extents to numbers, each once.
class Binder {
public:
    explicit Binder(std::map<std::string, std::uint64_t> bound) : bound_{std::move(bound)} {}

    void bind(const Input& input, const host::Shape& shape) {
        if (shape.size() != input.shape.size()) {
            throw UserError{"--input {}: the network states {} extents, not {}",
                            input.name,
                            input.shape.size(),
                            shape.size()};
        }
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const auto* fixed = std::get_if<std::uint64_t>(&input.shape[i]);
            const std::uint64_t bound =
                fixed != nullptr
                    ? *fixed
                    : bound_.emplace(std::get<std::string>(input.shape[i]), shape[i]).first->second;
            if (bound != shape[i]) {
                throw UserError{
                    "--input {}: extent {} is {} in the network, not {}", input.name, i, bound, shape[i]};
            }
        }
    }

    [[nodiscard]] host::Shape shape_of(const Input& input, std::uint64_t batch) {
        host::Shape shape;
        for (std::size_t i = 0; i < input.shape.size(); ++i) {
            if (const auto* fixed = std::get_if<std::uint64_t>(&input.shape[i])) {
                shape.push_back(*fixed);
                continue;
            }
            const std::string& name = std::get<std::string>(input.shape[i]);
            if (i == 0 && !bound_.contains(name)) {
                bound_[name] = batch;
            }
            if (!bound_.contains(name)) {
                throw UserError{
                    "input '{}': its extent '{}' is open; give it with --input {}=N, or the "
                    "whole shape with --input {}=…",
                    input.name,
                    name,
                    name,
                    input.name};
            }
            shape.push_back(bound_[name]);
        }
        return shape;
    }

private:
    std::map<std::string, std::uint64_t> bound_;
};

}  // namespace

std::int64_t Node::integer(std::string_view attribute, std::int64_t otherwise) const {
    return attribute_of(*this, attribute, otherwise, "an integer");
}

double Node::real(std::string_view attribute, double otherwise) const {
    return attribute_of(*this, attribute, otherwise, "a number");
}

std::string Node::word(std::string_view attribute, std::string otherwise) const {
    return attribute_of(*this, attribute, std::move(otherwise), "a word");
}

std::vector<std::int64_t> Node::integers(std::string_view attribute,
                                         std::vector<std::int64_t> otherwise) const {
    return attribute_of(*this, attribute, std::move(otherwise), "a list of integers");
}

std::string Node::title() const {
    return name.empty() ? op : fmt::format("{} '{}'", op, name);
}

void sort_nodes(Graph& graph) {
    Sorter sorter{graph};
    const std::vector<std::size_t> order = sorter.order();
    for (std::size_t i = 0; order.size() < graph.nodes.size() && i < graph.nodes.size(); ++i) {
        if (sorter.waits(i)) {
            throw UserError{"{} waits for its own result: the network has a cycle", graph.nodes[i].title()};
        }
    }
    std::vector<Node> sorted;
    for (const std::size_t node : order) {
        sorted.push_back(std::move(graph.nodes[node]));
    }
    graph.nodes = std::move(sorted);
}

Graph with_open_batch(Graph graph) {
    std::vector<Input*> fixed;
    for (Input& input : graph.inputs) {
        if (is_weight(input.name) || input.shape.empty()) {
            continue;
        }
        if (std::holds_alternative<std::string>(input.shape[0])) {
            return graph;
        }
        fixed.push_back(&input);
    }
    for (const Input* input : fixed) {
        if (input->shape[0] != fixed[0]->shape[0]) {
            throw UserError{"--batch: the first extents of '{}' and '{}' are fixed and differ, {} and {}",
                            fixed[0]->name,
                            input->name,
                            std::get<std::uint64_t>(fixed[0]->shape[0]),
                            std::get<std::uint64_t>(input->shape[0])};
        }
    }
    for (Input* input : fixed) {
        input->shape[0] = std::string{"batch"};
    }
    return graph;
}

Shapes bind_inputs(const Graph& graph, const std::vector<std::string>& given, std::uint64_t batch) {
    Given parsed = parse_given(graph, given);
    Shapes shapes = std::move(parsed.shapes);
    Binder binder{std::move(parsed.extents)};
    for (const Input& input : graph.inputs) {
        if (const auto found = shapes.find(input.name); found != shapes.end()) {
            binder.bind(input, found->second);
        }
    }
    for (const Input& input : graph.inputs) {
        shapes[input.name] = binder.shape_of(input, batch);
    }
    return shapes;
}

}  // namespace ascendsim::networks
