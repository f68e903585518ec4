// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/graph_fusion.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "networks/fusion/conversions.hpp"
#include "networks/fusion/decision.hpp"

namespace ascendsim::networks {
namespace {

using Shapes = std::map<std::string, host::Shape, std::less<>>;
using Nodes = std::set<std::size_t>;

/// A rewriting with the nodes that it removes and what replaces them.
struct GraphCandidate {
    Rewriting rewriting;
    Nodes gone;
    std::vector<PlannedNode> with;
    Decision decision;
    /// What is simulated: both with the conversions of layouts that the other one does not need.
    std::vector<PlannedNode> apart{};
    std::vector<PlannedNode> fused{};
};

std::string name_of(const PlannedNode& node) {
    return node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name;
}

/// The nodes of a rewriting that nothing needs any more. Throws NoMatch if some are needed that must not be.
Nodes gone_of(const PatternView& view, const Rewriting& rewriting, bool may_stay) {
    std::set<std::string> made;
    for (const Node& node : rewriting.with) {
        made.insert(node.outputs.begin(), node.outputs.end());
    }
    for (const auto& [result, other] : rewriting.same) {
        made.insert(result);
    }
    Nodes gone = rewriting.nodes;
    for (bool changed = true; changed;) {
        changed = false;
        for (const std::size_t index : Nodes{gone}) {
            for (const std::string& output : view.node(index).outputs) {
                const auto reader = std::ranges::find_if(
                    view.readers(output), [&](std::size_t one) { return !gone.contains(one); });
                const bool read = reader != view.readers(output).end();
                if (made.contains(output) || (!read && !view.kept(output))) {
                    continue;
                }
                if (!may_stay) {
                    throw NoMatch{read ? "another_reader" : "network_output",
                                  "the result of {} is {}",
                                  view.node(index).op,
                                  read ? fmt::format("also read by {}", view.node(*reader).op)
                                       : "an output of the network"};
                }
                changed = gone.erase(index) > 0 || changed;
            }
        }
    }
    return gone;
}

/// The nodes of a rewriting, and those whose results it reads and the replaced nodes do not: another
/// rewriting must not remove these beside it.
Nodes touched_by(const PatternView& view, const Rewriting& rewriting) {
    Nodes touched = rewriting.nodes;
    const auto add = [&](const std::string& tensor) {
        const auto& readers = view.readers(tensor);
        const bool read = std::ranges::any_of(
            readers, [&](std::size_t reader) { return rewriting.nodes.contains(reader); });
        const std::size_t maker = view.maker(tensor);
        if (!read && maker != view.graph().nodes.size()) {
            touched.insert(maker);
        }
    };
    for (const auto& [result, other] : rewriting.same) {
        add(other);
    }
    for (const Node& node : rewriting.with) {
        std::ranges::for_each(node.inputs, add);
    }
    return touched;
}

/// What is made of constants in float32 stays so beside operands that do.
void keep_wide(Rewriting& rewriting, const Tensors& tensors) {
    for (const Node& node : rewriting.with) {
        for (const std::string& input : node.inputs) {
            const auto found = tensors.find(input);
            if (found == tensors.end() || found->second.wide == nullptr) {
                continue;
            }
            for (auto& [name, tensor] : rewriting.constants) {
                tensor.wide = tensor.type == isa::DataType::float32 ? found->second.wide : nullptr;
            }
            return;
        }
    }
}

class GraphDecisions {
public:
    GraphDecisions(const Graph& graph,
                   const Shapes& shapes,
                   const Lowering& lowering,
                   const Patterns& patterns,
                   const TimeTasks& time,
                   const FusionOptions& options)
        : shapes_{shapes}, lowering_{lowering}, patterns_{patterns}, time_{time}, options_{options} {
        fusion_.graph = graph;
        fusion_.plan = plan_network(graph, shapes_, lowering_);
        drop_unread();
    }

    GraphFusion result() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const Phase phase : {Phase::tidy, Phase::recognise, Phase::fold, Phase::join}) {
                while (round(phase)) {
                    changed = true;
                }
            }
        }
        return std::move(fusion_);
    }

private:
    /// Rewrites what a phase finds, each node once. False if nothing was rewritten.
    bool round(Phase phase) {
        const PatternView view{fusion_.graph, fusion_.plan, lowering_};
        std::vector<GraphCandidate> candidates;
        Nodes claimed;
        for (const Pattern& pattern : patterns_) {
            for (std::size_t i = 0; pattern.phase == phase && i < fusion_.graph.nodes.size(); ++i) {
                look_at(pattern, view, i, claimed, candidates);
            }
        }
        if (candidates.empty()) {
            return false;
        }
        simulate(candidates, phase);
        std::vector<GraphCandidate> taken;
        for (GraphCandidate& candidate : candidates) {
            fusion_.decisions.push_back(candidate.decision);
            if (candidate.decision.taken) {
                taken.push_back(std::move(candidate));
            }
        }
        apply(taken);
        return true;
    }

    void look_at(const Pattern& pattern,
                 const PatternView& view,
                 std::size_t index,
                 Nodes& claimed,
                 std::vector<GraphCandidate>& candidates) {
        const Node& node = view.node(index);
        if (node.outputs.empty() || (!pattern.mends && !view.planned(index).refusal.empty())) {
            return;
        }
        const std::string key = fmt::format("{}\n{}", pattern.name, node.outputs[0]);
        if (tried_.contains(key)) {
            return;
        }
        try {
            std::optional<Rewriting> rewriting = pattern.rewrite(view, index);
            if (!rewriting) {
                return;
            }
            const Nodes touched = touched_by(view, *rewriting);
            if (std::ranges::any_of(touched, [&](std::size_t one) { return claimed.contains(one); })) {
                return;
            }
            Nodes gone = gone_of(view, *rewriting, pattern.may_stay);
            claimed.insert(touched.begin(), touched.end());
            tried_.insert(key);
            candidates.push_back(candidate_of(pattern, view, std::move(*rewriting), std::move(gone)));
        } catch (const NoMatch& reason) {
            tried_.insert(key);
            fusion_.not_joined.push_back({pattern.name, node.op, reason.code(), reason.what()});
        }
    }

    GraphCandidate candidate_of(const Pattern& pattern,
                                const PatternView& view,
                                Rewriting rewriting,
                                Nodes gone) const {
        GraphCandidate candidate{.rewriting = std::move(rewriting), .gone = std::move(gone)};
        Tensors tensors = fusion_.plan.tensors;
        keep_wide(candidate.rewriting, tensors);
        for (const auto& [name, tensor] : candidate.rewriting.constants) {
            tensors[name] = tensor;
        }
        candidate.with = plan_nodes(candidate.rewriting.with, fusion_.graph.opset, lowering_, tensors);
        Decision& decision = candidate.decision;
        decision.pattern = pattern.name;
        for (const std::size_t one : candidate.gone) {
            const PlannedNode& node = view.planned(one);
            decision.nodes.push_back(name_of(node));
            decision.kinds += (decision.kinds.empty() ? "" : " + ") + node.op;
        }
        return candidate;
    }

    /// Lists what stands apart and what would stand instead, with their conversions.
    void list_nodes(GraphCandidate& candidate, const Conversions& conversions) const {
        std::vector<Replacement> with;
        for (const PlannedNode& node : candidate.with) {
            with.push_back({*candidate.rewriting.nodes.rbegin(), node});
        }
        ConversionChange change = conversions.change(candidate.gone, with, candidate.rewriting.same);
        candidate.apart = std::move(change.before);
        for (const std::size_t node : candidate.gone) {
            candidate.apart.push_back(fusion_.plan.nodes[node]);
        }
        candidate.fused = std::move(change.after);
        candidate.fused.insert(candidate.fused.end(), candidate.with.begin(), candidate.with.end());
    }

    void simulate(std::vector<GraphCandidate>& candidates, Phase phase) const {
        const Conversions conversions{fusion_.plan, fusion_.graph.outputs, lowering_.chip};
        std::vector<Task> tasks;
        for (GraphCandidate& candidate : candidates) {
            list_nodes(candidate, conversions);
            for (const auto* nodes : {&candidate.apart, &candidate.fused}) {
                std::ranges::for_each(*nodes, [&](const PlannedNode& node) { add_timed(node, tasks); });
            }
        }
        const std::vector<TaskResult> results = time_(tasks);
        auto result = results.begin();
        for (GraphCandidate& candidate : candidates) {
            decide_candidate(candidate, result, phase);
        }
    }

    /// The next results are those of the candidate's nodes apart, and then of what would stand instead.
    void decide_candidate(GraphCandidate& candidate,
                          std::vector<TaskResult>::const_iterator& result,
                          Phase phase) const {
        Decision& decision = candidate.decision;
        Simulated apart;
        for (const PlannedNode& node : candidate.apart) {
            add_simulated(node, result, apart);
            decision.apart_bytes += traffic_of(node);
        }
        Simulated fused;
        for (const PlannedNode& node : candidate.fused) {
            add_simulated(node, result, fused);
            decision.fused_bytes += traffic_of(node);
        }
        const bool ties = phase == Phase::tidy || phase == Phase::recognise;
        decide(decision, apart, fused, options_.weights, ties);
        if (decision.code == "slower") {
            std::ranges::for_each(candidate.apart,
                                  [&](const PlannedNode& node) { add_timed(node, decision.apart_tasks); });
            std::ranges::for_each(candidate.fused,
                                  [&](const PlannedNode& node) { add_timed(node, decision.fused_tasks); });
        }
        check_results(candidate);
    }

    /// A result must have the type and extents of before, and numbers that are close enough.
    void check_results(GraphCandidate& candidate) const {
        Decision& decision = candidate.decision;
        for (const PlannedNode& node : candidate.with) {
            for (std::size_t i = 0; decision.taken && i < node.outputs.size(); ++i) {
                const auto before = fusion_.plan.tensors.find(node.outputs[i]);
                if (before != fusion_.plan.tensors.end() && (before->second.type != node.results[i].type ||
                                                             before->second.shape != node.results[i].shape)) {
                    decision.taken = false;
                    decision.code = "other_shape";
                    decision.text = fmt::format(
                        "the kernel makes {} of what was {}", node.results[i].text(), before->second.text());
                }
                const auto wrong = options_.wrong.find(node.outputs[i]);
                if (decision.taken && wrong != options_.wrong.end()) {
                    decision.taken = false;
                    decision.code = "numbers";
                    decision.text = wrong->second;
                }
            }
        }
    }

    void apply(const std::vector<GraphCandidate>& taken) {
        Graph& graph = fusion_.graph;
        std::vector<std::vector<Node>> places(graph.nodes.size());  // what each node becomes
        for (std::size_t i = 0; i < places.size(); ++i) {
            places[i] = {graph.nodes[i]};
        }
        std::map<std::string, std::string> same;
        for (const GraphCandidate& candidate : taken) {
            for (const std::size_t node : candidate.gone) {
                places[node].clear();
            }
            const std::size_t last = *candidate.rewriting.nodes.rbegin();
            places[last].insert(
                places[last].end(), candidate.rewriting.with.begin(), candidate.rewriting.with.end());
            same.insert(candidate.rewriting.same.begin(), candidate.rewriting.same.end());
            for (const auto& [name, tensor] : candidate.rewriting.constants) {
                graph.constants[name] = tensor;
            }
        }
        graph.nodes.clear();
        for (const std::vector<Node>& place : places) {
            graph.nodes.insert(graph.nodes.end(), place.begin(), place.end());
        }
        for (Node& node : graph.nodes) {
            for (std::string& input : node.inputs) {
                for (auto other = same.find(input); other != same.end(); other = same.find(input)) {
                    input = other->second;
                }
            }
        }
        sort_nodes(graph);
        fusion_.plan = plan_network(graph, shapes_, lowering_);
        drop_unread();
    }

    /// Constants, weights and nodes without kernels that nobody reads.
    void drop_unread() {
        Graph& graph = fusion_.graph;
        std::set<std::string, std::less<>> read{graph.outputs.begin(), graph.outputs.end()};
        for (std::size_t i = graph.nodes.size(); i-- > 0;) {
            const Node& node = graph.nodes[i];
            const bool unread = std::ranges::none_of(
                node.outputs, [&](const std::string& output) { return read.contains(output); });
            const auto at = static_cast<std::ptrdiff_t>(i);
            if (unread && fusion_.plan.nodes[i].tasks.empty()) {
                graph.nodes.erase(graph.nodes.begin() + at);
                fusion_.plan.nodes.erase(fusion_.plan.nodes.begin() + at);
            } else {
                read.insert(node.inputs.begin(), node.inputs.end());
            }
        }
        std::erase_if(graph.constants, [&](const auto& one) { return !read.contains(one.first); });
        std::erase_if(graph.inputs, [&](const Input& input) {
            return is_weight(input.name) && !read.contains(input.name);
        });
    }

    const Shapes& shapes_;
    const Lowering& lowering_;
    const Patterns& patterns_;
    const TimeTasks& time_;
    const FusionOptions& options_;
    GraphFusion fusion_;
    std::set<std::string> tried_;  // patterns with the result of the node they were tried at
};

}  // namespace

GraphFusion fuse_graph(const Graph& graph,
                       const Shapes& shapes,
                       const Lowering& lowering,
                       const Patterns& patterns,
                       const TimeTasks& time,
                       const FusionOptions& options) {
    return GraphDecisions{graph, shapes, lowering, patterns, time, options}.result();
}

}  // namespace ascendsim::networks
