// SPDX-License-Identifier: Apache-2.0
#include "networks/run/sequences.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "networks/run/bodies.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

const std::string& operand(const Node& node, std::size_t index) {
    static const std::string none;
    return index < node.inputs.size() ? node.inputs[index] : none;
}

const std::string& result(const Node& node) {
    if (node.outputs.empty()) {
        throw UserError{"{}: it has no output", node.title()};
    }
    return node.outputs[0];
}

/// The node without its sequence, which is no tensor: it is refused for what it waits for.
std::vector<Node> waiting(Node node) {
    if (!node.inputs.empty()) {
        node.inputs[0].clear();
    }
    return {std::move(node)};
}

/// Extents of the parts of an axis: all of one size, or as listed.
std::vector<double> parts_of(std::uint64_t extent, const std::vector<double>& sizes, bool one_size) {
    if (!one_size) {
        return sizes;
    }
    const double each = sizes.at(0);
    if (each < 1) {
        throw UserError{"SplitToSequence: parts of {} elements", each};
    }
    std::vector<double> parts;
    for (auto left = static_cast<double>(extent); left > 0; left -= each) {
        parts.push_back(std::min(left, each));
    }
    return parts;
}

}  // namespace

const Sequences::List* Sequences::list_of(const Node& node) const {
    const auto found = lists_.find(operand(node, 0));
    return found == lists_.end() ? nullptr : &found->second;
}

/// The place that an operand names, from the end if it is negative; nothing if it is not known.
std::optional<std::size_t> Sequences::place(const Node& node,
                                            std::size_t index,
                                            std::size_t last,
                                            std::size_t otherwise) const {
    if (operand(node, index).empty()) {
        return otherwise;
    }
    const std::optional<std::vector<double>> values = known_.elements(operand(node, index));
    if (!values || values->empty()) {
        return std::nullopt;
    }
    const double at = values->front() < 0 ? values->front() + static_cast<double>(last) : values->front();
    if (!(at >= 0 && at <= static_cast<double>(last))) {
        throw UserError{"{}: place {} of a sequence of {}", node.title(), values->front(), last};
    }
    return static_cast<std::size_t>(at);
}

std::vector<Node> Sequences::joined(const Node& of,
                                    const std::vector<std::string>& parts,
                                    const std::string& output,
                                    std::int64_t axis,
                                    bool grow) {
    std::vector<Node> nodes;
    Node concat{.name = of.name, .op = "Concat", .inputs = parts, .outputs = {output}, .attributes = {}};
    concat.attributes.emplace("axis", axis);
    if (grow) {
        const std::string axes = known_.constant(output + "/axes", {1}, {static_cast<double>(axis)});
        for (std::size_t i = 0; i < parts.size(); ++i) {
            concat.inputs[i] = fmt::format("{}/part{}", output, i);
            nodes.push_back({.name = of.name,
                             .op = "Unsqueeze",
                             .inputs = {parts[i], axes},
                             .outputs = {concat.inputs[i]},
                             .attributes = {}});
        }
    }
    nodes.push_back(std::move(concat));
    return nodes;
}

std::optional<std::vector<Node>> Sequences::change(const Node& node, const List& list) {
    List changed = list;
    const bool insert = node.op == "SequenceInsert";
    if (!insert && list.empty()) {
        throw UserError{"{}: an empty sequence has nothing to take out", node.title()};
    }
    const std::size_t last = insert ? list.size() : list.size() - 1;
    const std::optional<std::size_t> at = place(node, insert ? 2 : 1, list.size(), last);
    if (!at) {
        return waiting(node);
    }
    if (*at > last) {
        throw UserError{"{}: place {} of a sequence of {}", node.title(), *at, list.size()};
    }
    const auto where = changed.begin() + static_cast<std::ptrdiff_t>(*at);
    if (insert) {
        changed.insert(where, operand(node, 1));
    } else {
        changed.erase(where);
    }
    lists_[result(node)] = std::move(changed);
    return std::vector<Node>{};
}

std::optional<std::vector<Node>> Sequences::read(const Node& node, const List& list) {
    if (node.op == "SequenceLength") {
        const std::string count =
            known_.constant(result(node) + "/length", {}, {static_cast<double>(list.size())});
        return std::vector<Node>{handed_on(node, count, result(node))};
    }
    if (node.op == "ConcatFromSequence") {
        if (list.empty()) {
            throw UserError{"{}: an empty sequence makes no tensor", node.title()};
        }
        return joined(node, list, result(node), node.integer("axis", 0), node.integer("new_axis", 0) != 0);
    }
    const std::optional<std::size_t> at = place(node, 1, list.size(), 0);
    if (!at) {
        return waiting(node);
    }
    if (*at >= list.size()) {
        throw UserError{"{}: place {} of a sequence of {}", node.title(), *at, list.size()};
    }
    return std::vector<Node>{handed_on(node, list[*at], result(node))};
}

std::optional<std::vector<Node>> Sequences::split(const Node& node) {
    const std::optional<host::Shape> shape = known_.shape(operand(node, 0));
    const bool even = operand(node, 1).empty();
    const auto sizes = even ? std::optional{std::vector<double>{1}} : known_.elements(operand(node, 1));
    if (!shape || !sizes || sizes->empty()) {
        return std::vector<Node>{node};
    }
    const auto rank = static_cast<std::int64_t>(shape->size());
    std::int64_t axis = node.integer("axis", 0);
    axis += axis < 0 ? rank : 0;
    if (axis < 0 || axis >= rank) {
        throw UserError{"{}: axis {} of {}", node.title(), axis, host::text(*shape)};
    }
    const std::optional<host::Shape> of_sizes = even ? std::nullopt : known_.shape(operand(node, 1));
    const bool one_size = even || (of_sizes && of_sizes->empty());
    const std::vector<double> parts = parts_of(shape->at(static_cast<std::size_t>(axis)), *sizes, one_size);
    const bool drops = even && node.integer("keepdims", 1) == 0;
    Node split{
        .name = node.name, .op = "Split", .inputs = {operand(node, 0)}, .outputs = {}, .attributes = {}};
    split.inputs.push_back(known_.constant(result(node) + "/split", {parts.size()}, parts));
    split.attributes.emplace("axis", axis);
    const std::string axes =
        drops ? known_.constant(result(node) + "/axes", {1}, {static_cast<double>(axis)}) : "";
    List list;
    std::vector<Node> nodes;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        split.outputs.push_back(fmt::format("{}/{}", result(node), i));
        list.push_back(split.outputs.back());
        if (drops) {
            list.back() += "/squeezed";
            nodes.push_back({.name = node.name,
                             .op = "Squeeze",
                             .inputs = {split.outputs.back(), axes},
                             .outputs = {list.back()},
                             .attributes = {}});
        }
    }
    nodes.insert(nodes.begin(), std::move(split));
    lists_[result(node)] = std::move(list);
    return nodes;
}

std::optional<std::vector<Node>> Sequences::take(const Node& node) {
    if (node.op == "SequenceEmpty" || node.op == "SequenceConstruct") {
        lists_[result(node)] = node.op == "SequenceEmpty" ? List{} : node.inputs;
        return std::vector<Node>{};
    }
    if (node.op == "SplitToSequence") {
        return split(node);
    }
    const List* list = list_of(node);
    if (list == nullptr) {
        return std::nullopt;
    }
    if (node.op == "Identity") {
        const List copy = *list;
        lists_[result(node)] = copy;
        return std::vector<Node>{};
    }
    if (node.op == "SequenceInsert" || node.op == "SequenceErase") {
        return change(node, List{*list});
    }
    if (node.op == "SequenceAt" || node.op == "SequenceLength" || node.op == "ConcatFromSequence") {
        return read(node, *list);
    }
    return std::nullopt;
}

}  // namespace ascendsim::networks
