// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/fusion.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "networks/fusion/conversions.hpp"

namespace ascendsim::networks {
namespace {

using Group = std::vector<std::size_t>;

/// A group with the node that would replace it, and the conversions that come and go with it.
struct Candidate {
    Group group;
    PlannedNode node;
    ConversionChange conversions{};
};

class Decisions {
public:
    Decisions(const NetworkPlan& plan,
              const std::vector<std::string>& outputs,
              const ChipSpec& chip,
              const TimeTasks& time,
              const FusionOptions& options)
        : view_{plan, outputs},
          conversions_{plan, outputs, chip},
          chip_{chip},
          time_{time},
          options_{options},
          peak_bytes_{plan_memory(plan, outputs).peak_bytes} {}

    Fusion result() {
        Group all(view_.plan.nodes.size());
        std::iota(all.begin(), all.end(), std::size_t{0});
        Groups grown = grow_groups(view_, all, {}, chip_);
        for (const Obstacle& obstacle : grown.obstacles) {
            fusion_.not_joined.push_back({view_.plan.nodes[obstacle.from].op,
                                          view_.plan.nodes[obstacle.to].op,
                                          obstacle.code,
                                          obstacle.text});
        }
        standing_ = grown.groups;
        for (std::vector<Group> pending = std::move(grown.groups); !pending.empty();) {
            pending = tried(pending);
        }
        fusion_.plan = replaced();
        return std::move(fusion_);
    }

private:
    /// Simulates the groups; returns halves of those that are not worth it.
    std::vector<Group> tried(const std::vector<Group>& groups) {
        std::vector<Candidate> candidates;
        std::vector<Task> tasks;
        for (const Group& group : groups) {
            candidates.push_back(candidate_of(group));
            for (const PlannedNode& node : apart_nodes(candidates.back())) {
                add_timed(node, tasks);
            }
            for (const PlannedNode& node : fused_nodes(candidates.back())) {
                add_timed(node, tasks);
            }
        }
        const std::vector<TaskResult> results = time_(tasks);
        std::vector<Group> halves;
        auto result = results.begin();
        for (Candidate& candidate : candidates) {
            Decision decision = decided(candidate, result);
            if (decision.taken) {
                taken_.push_back(std::move(candidate));
            } else {
                std::erase(standing_, candidate.group);
                split(candidate.group, halves);
            }
            fusion_.decisions.push_back(std::move(decision));
        }
        return halves;
    }

    [[nodiscard]] Candidate candidate_of(const Group& group) const {
        Candidate candidate{.group = group, .node = fused_node(view_, group, chip_)};
        candidate.conversions =
            conversions_.change({group.begin(), group.end()}, {{group.front(), candidate.node}});
        return candidate;
    }

    [[nodiscard]] std::vector<PlannedNode> apart_nodes(const Candidate& candidate) const {
        std::vector<PlannedNode> nodes = candidate.conversions.before;
        for (const std::size_t node : candidate.group) {
            nodes.push_back(view_.plan.nodes[node]);
        }
        return nodes;
    }

    [[nodiscard]] static std::vector<PlannedNode> fused_nodes(const Candidate& candidate) {
        std::vector<PlannedNode> nodes = candidate.conversions.after;
        nodes.push_back(candidate.node);
        return nodes;
    }

    /// The next results are those of the nodes apart, and then of the fused ones.
    Decision decided(const Candidate& candidate, std::vector<TaskResult>::const_iterator& result) {
        Decision decision = about(candidate);
        Simulated apart;
        for (const PlannedNode& node : apart_nodes(candidate)) {
            add_simulated(node, result, apart);
            decision.apart_bytes += traffic_of(node);
        }
        Simulated fused;
        for (const PlannedNode& node : fused_nodes(candidate)) {
            add_simulated(node, result, fused);
            decision.fused_bytes += traffic_of(node);
        }
        decide(decision, apart, fused, options_.weights, false);
        if (decision.code == "slower") {
            for (const PlannedNode& node : apart_nodes(candidate)) {
                add_timed(node, decision.apart_tasks);
            }
            for (const PlannedNode& node : fused_nodes(candidate)) {
                add_timed(node, decision.fused_tasks);
            }
        }
        check_numbers(candidate, decision);
        check_memory(candidate, decision);
        return decision;
    }

    void check_numbers(const Candidate& candidate, Decision& decision) const {
        for (const std::string& output : candidate.node.outputs) {
            if (const auto wrong = options_.wrong.find(output);
                decision.taken && wrong != options_.wrong.end()) {
                decision.taken = false;
                decision.code = "numbers";
                decision.text = wrong->second;
            }
        }
    }

    /// What is read early or made late may stay in memory for longer.
    void check_memory(const Candidate& candidate, Decision& decision) {
        if (!decision.taken) {
            return;
        }
        taken_.push_back(candidate);
        const std::vector<std::string> kept{view_.kept.begin(), view_.kept.end()};
        const MemoryPlan memory = plan_memory(replaced(), kept);
        taken_.pop_back();
        if (memory.peak_bytes > peak_bytes_) {
            decision.taken = false;
            decision.code = "memory_peak";
            decision.text =
                fmt::format("between operators {} B would be alive at once (in '{}'), and {} B are apart",
                            memory.peak_bytes,
                            memory.peak_node,
                            peak_bytes_);
        }
    }

    Decision about(const Candidate& candidate) const {
        Decision decision{.kinds = candidate.node.op, .task = candidate.node.tasks.front()};
        for (const std::size_t node : candidate.group) {
            const PlannedNode& member = view_.plan.nodes[node];
            decision.nodes.push_back(member.name.empty() ? member.outputs.front() : member.name);
        }
        return decision;
    }

    void split(const Group& group, std::vector<Group>& halves) {
        const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
        for (const Group& half : {Group{group.begin(), middle}, Group{middle, group.end()}}) {
            for (Group& grown : grow_groups(view_, half, standing_, chip_).groups) {
                standing_.push_back(grown);
                halves.push_back(std::move(grown));
            }
        }
    }

    /// The plan with the taken groups, each once all that it reads has been made.
    [[nodiscard]] NetworkPlan replaced() const {
        std::set<std::size_t> gone;
        std::vector<Replacement> with;
        for (const Candidate& candidate : taken_) {
            gone.insert(candidate.group.begin(), candidate.group.end());
            with.push_back({candidate.group.front(), candidate.node});
        }
        NetworkPlan plan = view_.plan;
        plan.nodes = replaced_nodes(view_.plan.nodes, gone, with);
        return plan;
    }

    FusionView view_;
    Conversions conversions_;
    const ChipSpec& chip_;
    const TimeTasks& time_;
    const FusionOptions& options_;
    std::uint64_t peak_bytes_ = 0;  // between operators, of the plan that is fused
    Fusion fusion_;
    std::vector<Group> standing_;  // taken, or not yet decided
    std::vector<Candidate> taken_;
};

}  // namespace

Fusion fuse_loops(const NetworkPlan& plan,
                  const std::vector<std::string>& outputs,
                  const ChipSpec& chip,
                  const TimeTasks& time,
                  const FusionOptions& options) {
    return Decisions{plan, outputs, chip, time, options}.result();
}

}  // namespace ascendsim::networks
