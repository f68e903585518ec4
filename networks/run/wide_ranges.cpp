// SPDX-License-Identifier: Apache-2.0
#include "networks/run/wide_ranges.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "networks/run/magnitudes.hpp"

namespace ascendsim::networks {
namespace {

using Shapes = std::map<std::string, host::Shape, std::less<>>;
using Reason = std::shared_ptr<const std::string>;

// By the numbers of TensorProto.DataType in onnx.proto.
constexpr std::int64_t to_float32 = 1;
constexpr std::int64_t to_float16 = 10;

/// A quick look: true if a constant or a node that makes one has a number that float16 cannot hold.
bool any_beyond_half(const Graph& graph) {
    const auto beyond = [](double value) {
        return std::isfinite(value) && std::abs(value) > largest_float16;
    };
    const auto states = [&beyond](const Attribute& attribute) {
        if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
            return beyond_half(*tensor).has_value();
        }
        if (const auto* list = std::get_if<std::vector<double>>(&attribute)) {
            return std::ranges::any_of(*list, beyond);
        }
        const auto* number = std::get_if<double>(&attribute);
        return number != nullptr && beyond(*number);
    };
    return std::ranges::any_of(graph.constants,
                               [](const auto& one) { return beyond_half(one.second).has_value(); }) ||
           std::ranges::any_of(graph.nodes, [&states](const Node& node) {
               return (node.op == "Constant" || node.op == "ConstantOfShape") &&
                      std::ranges::any_of(node.attributes,
                                          [&states](const auto& one) { return states(one.second); });
           });
}

bool all_beyond_are(const Tensor& tensor, bool negative) {
    return std::ranges::none_of(*tensor.values, [negative](double value) {
        return std::isfinite(value) && std::abs(value) > largest_float16 && (value < 0) != negative;
    });
}

/// What is beyond float16 becomes its end, as the graph engine's conversion of constants makes it
/// (mindspore-ai/graphengine, ge/common/fp16_t.cc); what is infinite stays so.
std::shared_ptr<const std::vector<double>> within_float16(std::vector<double> values) {
    for (double& value : values) {
        value = std::isfinite(value) ? std::clamp(value, -largest_float16, largest_float16) : value;
    }
    return std::make_shared<const std::vector<double>>(std::move(values));
}

bool compares(std::string_view op) {
    return op == "Less" || op == "LessOrEqual" || op == "Greater" || op == "GreaterOrEqual" || op == "Equal";
}

/// What comes in front of a node that is put into float32 or back, and the node with its new operands.
struct Changed {
    Node node;
    std::vector<Node> casts{};
    std::map<std::string, Tensor, std::less<>> constants{};
    Tensors operands{};
    std::map<std::string, std::string, std::less<>>
        made_of{};  // by casts and copies, the tensors they are of
};

/// Goes through the nodes in order and keeps those in float32 that must be.
class Widening {
public:
    Widening(Graph graph, const Shapes& shapes, const Lowering& lowering)
        : lowering_{lowering}, graph_{std::move(graph)}, tensors_{first_tensors(graph_, shapes, lowering)} {
        nodes_ = std::move(graph_.nodes);
        graph_.nodes.clear();
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::string& input : nodes_[i].inputs) {
                readers_[input].insert(i);
            }
        }
    }

    [[nodiscard]] Graph run() {
        for (const auto& [name, tensor] : tensors_) {
            known_[name] = {.tensor = nullptr, .range = range_of(tensor), .flags = holds_flags(tensor)};
        }
        for (const Node& node : nodes_) {
            visit(node);
        }
        drop_unread();
        return std::move(graph_);
    }

private:
    void visit(const Node& node) {
        const Reason reason = reason_of(node);
        if (reason == nullptr) {
            keep(changed(node, nullptr, !compares(node.op)));
            return;
        }
        const Changed narrow = changed(node, nullptr);
        Changed wide = changed(node, reason);
        const PlannedNode planned = lowered(wide);
        const bool wide_alone_is_refused = !planned.refusal.empty() && lowered(narrow).refusal.empty();
        if (wide_alone_is_refused) {  // no kernel does it in float32
            keep(narrow);
            return;
        }
        keep_wide(std::move(wide), planned);
    }

    [[nodiscard]] PlannedNode lowered(const Changed& one) const {
        Tensors operands = one.operands;
        return plan_nodes({one.node}, graph_.opset, lowering_, operands).front();
    }

    /// Why the node must be in float32; null if it need not.
    [[nodiscard]] Reason reason_of(const Node& node) const {
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const auto found = tensors_.find(node.inputs[i]);
            if (found == tensors_.end()) {
                continue;
            }
            const Tensor& tensor = found->second;
            if (!tensor.known() && tensor.wide != nullptr) {
                return tensor.wide;
            }
            if (const auto value = beyond_half(tensor); value && !is_harmless(node, i, tensor)) {
                return tensor.wide != nullptr
                           ? tensor.wide
                           : std::make_shared<const std::string>(fmt::format(
                                 "in float32: its numbers come of {:g} in '{}', which float16 cannot hold",
                                 *value,
                                 node.inputs[i]));
            }
        }
        return nullptr;
    }

    /// True if the node makes the same of the end of float16.
    [[nodiscard]] bool is_harmless(const Node& node, std::size_t operand, const Tensor& tensor) const {
        const std::string& op = node.op;
        if (compares(op)) {
            return true;
        }
        if (op == "Max" || (op == "Clip" && operand == 1)) {
            return all_beyond_are(tensor, true);
        }
        if (op == "Min" || (op == "Clip" && operand == 2)) {
            return all_beyond_are(tensor, false);
        }
        const bool added = op == "Add" || (op == "Where" && operand != 0);
        return (added || (op == "Mul" && multiplies_flags(node, operand))) && all_beyond_are(tensor, true) &&
               comes_to_softmax(node.outputs.front());
    }

    /// True if each element of the other factor is 0 or 1, as in (1 - mask) x -3.4e38. Of other numbers a row
    /// may have no 0, or something above float16.
    [[nodiscard]] bool multiplies_flags(const Node& node, std::size_t operand) const {
        const auto other = node.inputs.size() == 2 ? known_.find(node.inputs[1 - operand]) : known_.end();
        return other != known_.end() && other->second.flags;
    }

    /// True if all that reads the tensor is a softmax, or adds to it, selects and moves what comes to one.
    [[nodiscard]] bool comes_to_softmax(const std::string& tensor) const {
        static const std::set<std::string, std::less<>> on_the_way{
            "Add", "Where", "Identity", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Expand"};
        std::vector<std::string> next{tensor};
        std::set<std::string> seen;
        while (!next.empty()) {
            const std::string at = next.back();
            next.pop_back();
            if (!seen.insert(at).second) {
                continue;
            }
            const auto readers = readers_.find(at);
            if (readers == readers_.end() || std::ranges::find(graph_.outputs, at) != graph_.outputs.end()) {
                return false;
            }
            for (const std::size_t reader : readers->second) {
                if (on_the_way.contains(nodes_[reader].op)) {
                    next.push_back(nodes_[reader].outputs.front());
                } else if (nodes_[reader].op != "Softmax") {
                    return false;
                }
            }
        }
        return true;
    }

    /// The node with all operands in float32, for this reason, or all in float16 without one. Constants get a
    /// copy, since others may read them, too. `ends`: what float16 cannot hold becomes its end there.
    [[nodiscard]] Changed changed(const Node& node, const Reason& reason, bool ends = false) const {
        Changed result{.node = node};
        for (std::string& input : result.node.inputs) {
            const auto found = tensors_.find(input);
            if (found == tensors_.end()) {
                continue;
            }
            Tensor tensor = found->second;
            const bool is_wide = tensor.type == isa::DataType::float32 && tensor.wide != nullptr;
            const bool cut = ends && beyond_half(tensor);
            const bool turns = reason != nullptr ? tensor.type == isa::DataType::half : is_wide || cut;
            if (turns) {
                const auto stated = graph_.constants.find(input);
                const std::string other = input + (reason != nullptr ? "/float32"
                                                   : cut             ? "/within_float16"
                                                                     : "/float16");
                if (cut) {
                    tensor.values = within_float16(*tensor.values);
                }
                const bool copied = tensor.known() || stated != graph_.constants.end();
                tensor.type = reason != nullptr ? isa::DataType::float32 : isa::DataType::half;
                tensor.wide = reason;
                if (copied) {
                    result.constants.emplace(other, tensor);
                } else {
                    result.casts.push_back(cast_of(input, other, reason));
                    tensor.given = nullptr;
                }
                result.made_of.emplace(other, input);
                input = other;
            }
            result.operands.insert_or_assign(input, std::move(tensor));
        }
        return result;
    }

    [[nodiscard]] static Node cast_of(const std::string& from, const std::string& to, const Reason& reason) {
        Node cast{.name = to,
                  .op = "Cast",
                  .inputs = {from},
                  .outputs = {to},
                  .attributes = {{"to", reason != nullptr ? to_float32 : to_float16}}};
        if (reason != nullptr) {
            cast.attributes.emplace("wide", *reason);
        }
        return cast;
    }

    void keep(const Changed& one) {
        for (const auto& [name, tensor] : one.constants) {
            if (graph_.constants.emplace(name, tensor).second) {
                tensors_.insert_or_assign(name, tensor);
                const Ranged& of = known_.at(one.made_of.at(name));
                known_[name] = {
                    .tensor = nullptr, .range = of.range.within(range_of(tensor)), .flags = of.flags};
            }
        }
        for (const Node& cast : one.casts) {
            if (!tensors_.contains(cast.outputs.front())) {
                add(cast);
            }
        }
        add(one.node);
    }

    /// Keeps a node that is in float32, and puts what float16 can hold back into it.
    void keep_wide(Changed wide, const PlannedNode& planned) {
        std::vector<Node> back;
        for (std::size_t i = 0; i < planned.results.size() && i < wide.node.outputs.size(); ++i) {
            std::string& output = wide.node.outputs[i];
            const Tensor& result = planned.results[i];
            if (output.empty() || result.wide == nullptr || result.known()) {
                continue;
            }
            const std::vector<Ranged> operands = operands_of(wide);
            const Range range = range_made(wide.node, operands, i);
            if (range.most() <= largest_float16) {
                const std::string held = output;
                output += "/float32";
                back.push_back(cast_of(output, held, nullptr));
            }
        }
        keep(wide);
        std::ranges::for_each(back, [this](const Node& cast) { add(cast); });
    }

    [[nodiscard]] std::vector<Ranged> operands_of(const Changed& one) const {
        std::vector<Ranged> operands;
        for (const std::string& input : one.node.inputs) {
            const auto tensor = one.operands.find(input);
            if (tensor == one.operands.end()) {
                operands.emplace_back();
                continue;
            }
            const auto other = one.made_of.find(input);
            operands.push_back(known_.at(other != one.made_of.end() ? other->second : input));
            operands.back().tensor = &tensor->second;
        }
        return operands;
    }

    void add(const Node& node) {
        static_cast<void>(plan_nodes({node}, graph_.opset, lowering_, tensors_));
        std::vector<Ranged> operands;
        for (const std::string& input : node.inputs) {
            const auto found = tensors_.find(input);
            operands.push_back(found != tensors_.end() ? known_.at(input) : Ranged{});
            operands.back().tensor = found != tensors_.end() ? &found->second : nullptr;
        }
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (const auto made = tensors_.find(node.outputs[i]); made != tensors_.end()) {
                known_[made->first] = {
                    .tensor = nullptr,
                    .range = range_made(node, operands, i).within(range_of(made->second)),
                    .flags = holds_flags(made->second) || (i == 0 && makes_flags(node, operands))};
            }
        }
        graph_.nodes.push_back(node);
    }

    /// Constants of which copies are read instead. Networks within operators, which data has yet to choose,
    /// may read any.
    void drop_unread() {
        if (std::ranges::any_of(graph_.nodes, [](const Node& node) { return !node.branches.empty(); })) {
            return;
        }
        std::set<std::string, std::less<>> read{graph_.outputs.begin(), graph_.outputs.end()};
        for (const Node& node : graph_.nodes) {
            read.insert(node.inputs.begin(), node.inputs.end());
        }
        std::erase_if(graph_.constants, [&](const auto& one) {
            return !read.contains(one.first) && readers_.contains(one.first);
        });
    }

    const Lowering& lowering_;
    Graph graph_;
    Tensors tensors_;
    std::vector<Node> nodes_;  // as they were
    std::map<std::string, std::set<std::size_t>, std::less<>> readers_;
    std::map<std::string, Ranged, std::less<>> known_;  // of all in tensors_, without these
};

}  // namespace

Graph with_wide_ranges(Graph graph,
                       const std::map<std::string, host::Shape, std::less<>>& shapes,
                       const Lowering& lowering) {
    const bool done = std::ranges::any_of(graph.nodes, [](const Node& node) { return node.has("wide"); });
    if (lowering.precision != Precision::half || done || !any_beyond_half(graph) ||
        std::ranges::any_of(graph.inputs, &Input::keeps_type)) {
        return graph;
    }
    return Widening{std::move(graph), shapes, lowering}.run();
}

}  // namespace ascendsim::networks
