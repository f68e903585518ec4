// SPDX-License-Identifier: Apache-2.0
#include "networks/run/control_flow.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "networks/run/bodies.hpp"
#include "networks/run/sequences.hpp"

namespace ascendsim::networks {
namespace {

using Shapes = std::map<std::string, host::Shape, std::less<>>;

bool decides(const Node& node) {
    static const std::set<std::string, std::less<>> names{"If",
                                                          "Loop",
                                                          "Scan",
                                                          "SequenceAt",
                                                          "SequenceConstruct",
                                                          "SequenceEmpty",
                                                          "SequenceErase",
                                                          "SequenceInsert",
                                                          "SequenceLength",
                                                          "SplitToSequence",
                                                          "ConcatFromSequence"};
    return names.contains(node.op);
}

/// A name for what stands in the place of a node: that of its first result.
const std::string& prefix_of(const Node& node) {
    const auto named = std::ranges::find_if(node.outputs, [](const auto& name) { return !name.empty(); });
    if (named == node.outputs.end()) {
        throw UserError{"{}: it makes nothing", node.title()};
    }
    return *named;
}

const Graph& branch_of(const Node& node, const char* name, std::size_t least_outputs) {
    const auto found = node.branches.find(name);
    if (found == node.branches.end() || found->second->outputs.size() < least_outputs) {
        throw UserError{
            "{}: its '{}' is missing, or has fewer than {} outputs", node.title(), name, least_outputs};
    }
    return *found->second;
}

constexpr const char* one_of_batch = "(one of a batch)";  // attribute of a Scan

/// A node to come; of a Loop, with what its iterations so far have made.
struct Item {
    Node node;
    std::uint64_t iteration = 0;
    std::vector<std::vector<std::string>> stacked = {};  // by output of the loop that grows
    std::string note = {};
};

/// Goes through the nodes in order, and puts others in the place of those that decide.
class Unroller {
public:
    Unroller(Graph graph, const Shapes& shapes, const Lowering& lowering)
        : lowering_{lowering},
          graph_{std::move(graph)},
          tensors_{first_tensors(graph_, shapes, lowering)},
          sequences_{{.elements = [this](const std::string& name) { return elements(name); },
                      .shape = [this](const std::string& name) { return shape(name); },
                      .constant =
                          [this](const std::string& name, host::Shape extents, std::vector<double> values) {
                              return integers(name, std::move(extents), std::move(values));
                          }}} {
        std::vector<Node> nodes = std::move(graph_.nodes);
        graph_.nodes.clear();
        push(std::move(nodes));
    }

    [[nodiscard]] Graph run() {
        constexpr std::size_t most_nodes = 100'000;
        while (!rest_.empty()) {
            if (graph_.nodes.size() + rest_.size() > most_nodes) {
                throw UserError{"branches and loops make more than {} nodes", most_nodes};
            }
            const Item item = std::move(rest_.back());
            rest_.pop_back();
            ahead_ -= decides(item.node) ? 1U : 0U;
            step(item);
        }
        return std::move(graph_);
    }

private:
    void step(const Item& item) {
        if (item.node.op == "If") {
            branch(item.node);
        } else if (item.node.op == "Loop") {
            loop(item);
        } else if (item.node.op == "Scan") {
            scan(item.node);
        } else if (auto nodes = sequences_.take(item.node)) {
            std::ranges::for_each(*nodes, [this](const Node& node) { keep(node); });
        } else {
            keep(item.node);
        }
    }

    void push(Item item) {
        ahead_ += decides(item.node) ? 1U : 0U;
        rest_.push_back(std::move(item));
    }

    /// The first one comes next.
    void push(std::vector<Node> nodes) {
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            push(Item{.node = std::move(*node)});
        }
    }

    /// Puts the node into the network; what it makes is worked out while something behind it may ask.
    void keep(Node node) {
        if (ahead_ != 0) {
            static_cast<void>(plan_nodes({node}, graph_.opset, lowering_, tensors_));
        }
        graph_.nodes.push_back(std::move(node));
    }

    [[nodiscard]] std::optional<std::vector<double>> elements(const std::string& name) const {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) {
            return std::nullopt;
        }
        const auto& values = found->second.known() ? found->second.values : found->second.given;
        return values == nullptr ? std::nullopt : std::optional{*values};
    }

    [[nodiscard]] std::optional<double> number(const std::string& name) const {
        const std::optional<std::vector<double>> values = elements(name);
        return !values || values->empty() ? std::nullopt : std::optional{values->front()};
    }

    [[nodiscard]] std::optional<host::Shape> shape(const std::string& name) const {
        const auto found = tensors_.find(name);
        return found == tensors_.end() ? std::nullopt : std::optional{found->second.shape};
    }

    std::string integers(const std::string& name, host::Shape extents, std::vector<double> values) {
        add_constant(name, constant(isa::DataType::int64, std::move(extents), std::move(values)));
        return name;
    }

    void add_constant(const std::string& name, const Tensor& tensor) {
        const Tensor own = lowering_.precision == Precision::half && tensor.type == isa::DataType::float32
                               ? Tensor{isa::DataType::half, tensor.shape, tensor.values}
                               : tensor;
        graph_.constants.emplace(name, tensor);
        tensors_.emplace(name, own);
    }

    void take_constants(const Body& body) {
        for (const auto& [name, tensor] : body.constants) {
            add_constant(name, tensor);
        }
    }

    /// The nodes of the branch that is taken. Data that comes later decides when it is there.
    void branch(const Node& node) {
        const std::optional<double> condition = node.inputs.empty() ? std::nullopt : number(node.inputs[0]);
        if (!condition && !lowering_.timing_only) {
            keep(node);
            return;
        }
        const Graph& yes = branch_of(node, "then_branch", node.outputs.size());
        const Graph& no = branch_of(node, "else_branch", node.outputs.size());
        const bool larger = count_nodes(yes) >= count_nodes(no);
        const bool taken = condition ? *condition != 0 : larger;
        const std::string note =
            condition ? ""
                      : fmt::format("data decides: the {} branch, the larger one, stands for both",
                                    larger ? "then" : "else");
        const std::string& prefix = prefix_of(node);
        Body body = body_of(taken ? yes : no, prefix, prefix, {});
        take_constants(body);
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!node.outputs[i].empty()) {
                body.nodes.push_back(handed_on(node, body.outputs[i], node.outputs[i], i == 0 ? note : ""));
            }
        }
        push(std::move(body.nodes));
    }

    /// A node that cannot run, and why.
    void refuse(Node node, std::string reason) {
        node.attributes.insert_or_assign("refusal", std::move(reason));
        keep(std::move(node));
    }

    void loop(Item item) {
        constexpr double endless = 1e15;  // "no limit" is stated as the largest integer
        Node& node = item.node;
        if (node.inputs.size() < 2) {
            node.inputs.resize(2);
        }
        const std::size_t carried = node.inputs.size() - 2;
        const Graph& body = branch_of(node, "body", 1 + carried);
        const std::optional<double> trips =
            node.inputs[0].empty() ? std::optional{endless} : number(node.inputs[0]);
        const std::optional<double> condition =
            node.inputs[1].empty() ? std::optional{1.0} : number(node.inputs[1]);
        const bool stands = lowering_.timing_only && !condition && trips && *trips < endless;
        if (!trips || (!condition && !stands)) {
            keep(std::move(node));
            return;
        }
        if (body.inputs.size() != 2 + carried || node.outputs.size() + 1 > body.outputs.size()) {
            throw UserError{"{}: operands and results do not fit its body", node.title()};
        }
        if (stands) {
            item.note = "data decides how often: as often as it may at most";
        }
        if (static_cast<double>(item.iteration) < *trips && condition.value_or(1) != 0) {
            iterate(std::move(item), body, carried);
        } else {
            finish(std::move(item), carried);
        }
    }

    /// One iteration, and behind it the loop that is left.
    void iterate(Item item, const Graph& graph, std::size_t carried) {
        const std::string prefix = prefix_of(item.node);
        const std::string own = fmt::format("{}/{}", prefix, item.iteration);
        Names inputs;
        inputs[graph.inputs[0].name] =
            integers(own + "/iteration", {}, {static_cast<double>(item.iteration)});
        inputs[graph.inputs[1].name] = prefix + "/goes_on";
        add_constant(prefix + "/goes_on", constant(isa::DataType::boolean, {}, {1}));
        for (std::size_t i = 0; i < carried; ++i) {
            inputs[graph.inputs[2 + i].name] = item.node.inputs[2 + i];
        }
        Body body = body_of(graph, own, prefix, std::move(inputs));
        take_constants(body);
        std::ranges::copy_n(
            body.outputs.begin(), static_cast<std::ptrdiff_t>(1 + carried), item.node.inputs.begin() + 1);
        item.stacked.resize(body.outputs.size() - 1 - carried);
        for (std::size_t i = 0; i < item.stacked.size(); ++i) {
            item.stacked[i].push_back(body.outputs[1 + carried + i]);
        }
        ++item.iteration;
        push(std::move(item));
        push(std::move(body.nodes));
    }

    void finish(Item item, std::size_t carried) {
        const Node& node = item.node;
        std::vector<Node> nodes;
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty()) {
                continue;
            }
            if (i < carried) {
                nodes.push_back(
                    handed_on(node, node.inputs[2 + i], node.outputs[i], i == 0 ? item.note : std::string{}));
                continue;
            }
            if (item.stacked.empty()) {
                refuse(node, "it runs not once, and its results have extents that only its body knows");
                return;
            }
            const std::vector<Node> stack =
                sequences_.joined(node, item.stacked[i - carried], node.outputs[i], 0, true);
            nodes.insert(nodes.end(), stack.begin(), stack.end());
        }
        push(std::move(nodes));
    }

    /// Iterations along an axis, whose extent tells how many there are.
    void scan(const Node& node) {
        const bool old = graph_.opset < 9;
        if (old && !node.has(one_of_batch)) {
            scan_batches(node);
            return;
        }
        const auto scanned =
            static_cast<std::size_t>(std::max<std::int64_t>(node.integer("num_scan_inputs", 1), 1));
        if (scanned > node.inputs.size()) {
            throw UserError{"{}: {} operands to go along", node.title(), scanned};
        }
        const std::size_t states = node.inputs.size() - scanned;
        const Graph& graph = branch_of(node, "body", node.outputs.size());
        if (graph.inputs.size() != node.inputs.size()) {
            throw UserError{"{}: operands do not fit its body", node.title()};
        }
        const std::vector<std::int64_t> axes = along(node, "scan_input_axes", scanned);
        const std::vector<std::int64_t> ways =
            along(node, old ? "directions" : "scan_input_directions", scanned);
        const std::optional<std::uint64_t> count = extent(node.inputs[states], axes[0]);
        if (!count || *count == 0) {
            refuse(node, "the extent along which it goes is not known, or 0");
            return;
        }
        const std::string& prefix = prefix_of(node);
        std::vector<std::string> carried{node.inputs.begin(),
                                         node.inputs.begin() + static_cast<std::ptrdiff_t>(states)};
        std::vector<std::vector<std::string>> stacked(node.outputs.size() -
                                                      std::min(states, node.outputs.size()));
        std::vector<Node> nodes;
        for (std::uint64_t step = 0; step < *count; ++step) {
            Names inputs;
            for (std::size_t i = 0; i < states; ++i) {
                inputs[graph.inputs[i].name] = carried[i];
            }
            for (std::size_t i = 0; i < scanned; ++i) {
                const std::uint64_t at = ways[i] != 0 ? *count - 1 - step : step;
                const std::string slice = fmt::format("{}/{}/slice{}", prefix, step, i);
                nodes.push_back(slice_of(node, node.inputs[states + i], axes[i], at, slice));
                inputs[graph.inputs[states + i].name] = slice;
            }
            Body body = body_of(graph, fmt::format("{}/{}", prefix, step), prefix, std::move(inputs));
            take_constants(body);
            nodes.insert(nodes.end(), body.nodes.begin(), body.nodes.end());
            std::copy_n(body.outputs.begin(), states, carried.begin());
            for (std::size_t i = 0; i < stacked.size(); ++i) {
                stacked[i].push_back(body.outputs.at(states + i));
            }
        }
        finish_scan(node, carried, std::move(stacked), nodes);
        push(std::move(nodes));
    }

    void finish_scan(const Node& node,
                     const std::vector<std::string>& carried,
                     std::vector<std::vector<std::string>> stacked,
                     std::vector<Node>& nodes) {
        const std::vector<std::int64_t> axes = along(node, "scan_output_axes", stacked.size());
        const std::vector<std::int64_t> ways = along(node, "scan_output_directions", stacked.size());
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (node.outputs[i].empty()) {
                continue;
            }
            if (i < carried.size()) {
                nodes.push_back(handed_on(node, carried[i], node.outputs[i]));
                continue;
            }
            std::vector<std::string>& parts = stacked[i - carried.size()];
            if (ways[i - carried.size()] != 0) {
                std::ranges::reverse(parts);
            }
            const std::vector<Node> stack =
                sequences_.joined(node, parts, node.outputs[i], axes[i - carried.size()], true);
            nodes.insert(nodes.end(), stack.begin(), stack.end());
        }
    }

    /// Before opset 9 every operand has a batch in front, and its first one the lengths of sequences.
    void scan_batches(const Node& node) {
        const std::optional<std::uint64_t> batches =
            node.inputs.size() < 2 ? std::nullopt : extent(node.inputs.back(), 0);
        if (!batches || *batches == 0 || !node.inputs[0].empty()) {
            refuse(node, "lengths of sequences, or a batch that is not known or 0");
            return;
        }
        const std::string& prefix = prefix_of(node);
        std::vector<std::vector<std::string>> results(node.outputs.size());
        std::vector<Node> nodes;
        for (std::uint64_t batch = 0; batch < *batches; ++batch) {
            Node one = node;
            one.attributes.emplace(one_of_batch, std::int64_t{1});
            one.inputs.erase(one.inputs.begin());
            for (std::size_t i = 0; i < one.inputs.size(); ++i) {
                const std::string slice = fmt::format("{}/batch{}/operand{}", prefix, batch, i);
                nodes.push_back(slice_of(node, one.inputs[i], 0, batch, slice));
                one.inputs[i] = slice;
            }
            for (std::size_t i = 0; i < one.outputs.size(); ++i) {
                one.outputs[i] = fmt::format("{}/batch{}/result{}", prefix, batch, i);
                results[i].push_back(one.outputs[i]);
            }
            nodes.push_back(std::move(one));
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!node.outputs[i].empty()) {
                const std::vector<Node> stack = sequences_.joined(node, results[i], node.outputs[i], 0, true);
                nodes.insert(nodes.end(), stack.begin(), stack.end());
            }
        }
        push(std::move(nodes));
    }

    [[nodiscard]] static std::vector<std::int64_t> along(const Node& node,
                                                         const char* name,
                                                         std::size_t count) {
        std::vector<std::int64_t> values = node.integers(name, std::vector<std::int64_t>(count, 0));
        if (values.size() != count) {
            throw UserError{"{}: '{}' has {} entries for {}", node.title(), name, values.size(), count};
        }
        return values;
    }

    [[nodiscard]] std::optional<std::uint64_t> extent(const std::string& name, std::int64_t axis) const {
        const std::optional<host::Shape> of = shape(name);
        const std::int64_t rank = of ? static_cast<std::int64_t>(of->size()) : 0;
        const std::int64_t at = axis < 0 ? axis + rank : axis;
        return at < 0 || at >= rank ? std::nullopt : std::optional{(*of)[static_cast<std::size_t>(at)]};
    }

    /// What lies at one place of an axis, without it.
    Node slice_of(
        const Node& of, const std::string& from, std::int64_t axis, std::uint64_t at, const std::string& to) {
        return {.name = of.name,
                .op = "Gather",
                .inputs = {from, integers(to + "/at", {}, {static_cast<double>(at)})},
                .outputs = {to},
                .attributes = {{"axis", axis}}};
    }

    const Lowering& lowering_;
    Graph graph_;
    Tensors tensors_;
    Sequences sequences_;
    std::vector<Item> rest_;  // the last one comes next
    std::size_t ahead_ = 0;   // of them that decide
};

}  // namespace

Graph with_known_control_flow(Graph graph, const Shapes& shapes, const Lowering& lowering) {
    if (std::ranges::none_of(graph.nodes, decides)) {
        return graph;
    }
    return Unroller{std::move(graph), shapes, lowering}.run();
}

}  // namespace ascendsim::networks
