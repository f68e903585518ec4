// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/fusion.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <queue>
#include <utility>

#include "sim/base/error.hpp"

namespace ascendsim::networks {
namespace {

using Group = std::vector<std::size_t>;

/// A group with the node that would replace it.
struct Candidate {
    Group group;
    PlannedNode node;
};

class Decisions {
public:
    Decisions(const NetworkPlan& plan,
              const std::vector<std::string>& outputs,
              const ChipSpec& chip,
              const TimeTasks& time,
              const FusionOptions& options)
        : view_{plan, outputs},
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
            candidates.push_back({group, fused_node(view_, group, chip_)});
            for (const std::size_t node : group) {
                std::ranges::copy_if(view_.plan.nodes[node].tasks, std::back_inserter(tasks), &Task::timed);
            }
            tasks.push_back(candidates.back().node.tasks.front());
        }
        const std::vector<TaskResult> results = time_(tasks);
        std::vector<Group> halves;
        auto result = results.begin();
        for (Candidate& candidate : candidates) {
            Decision decision = about(candidate);
            Simulated apart;
            for (const std::size_t node : candidate.group) {
                add_simulated(view_.plan.nodes[node], result, apart);
            }
            Simulated fused;
            add_simulated(candidate.node, result, fused);
            decide(decision, apart, fused, options_.weights, false);
            if (decision.code == "slower") {
                for (const std::size_t node : candidate.group) {
                    add_timed(view_.plan.nodes[node], decision.apart_tasks);
                }
                add_timed(candidate.node, decision.fused_tasks);
            }
            check_numbers(candidate, decision);
            check_memory(candidate, decision);
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
        Decision decision{.kinds = candidate.node.op,
                          .fused_bytes = traffic_of(candidate.node),
                          .task = candidate.node.tasks.front()};
        for (const std::size_t node : candidate.group) {
            const PlannedNode& member = view_.plan.nodes[node];
            decision.nodes.push_back(member.name.empty() ? member.outputs.front() : member.name);
            decision.apart_bytes += traffic_of(view_.plan.nodes[node]);
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
        std::vector<PlannedNode> nodes;
        std::vector<bool> gone(view_.plan.nodes.size(), false);
        for (const Candidate& candidate : taken_) {
            for (const std::size_t node : candidate.group) {
                gone[node] = true;
            }
        }
        std::vector<std::size_t> at;  // where each stood
        for (std::size_t i = 0; i < gone.size(); ++i) {
            if (!gone[i]) {
                nodes.push_back(view_.plan.nodes[i]);
                at.push_back(i);
            }
        }
        for (const Candidate& candidate : taken_) {
            nodes.push_back(candidate.node);
            at.push_back(candidate.group.front());
        }
        NetworkPlan plan = view_.plan;
        plan.nodes = in_order(std::move(nodes), at);
        return plan;
    }

    /// Sorted so that makers come before readers, and else by `at`.
    static std::vector<PlannedNode> in_order(std::vector<PlannedNode> nodes,
                                             const std::vector<std::size_t>& at) {
        std::map<std::string, std::size_t, std::less<>> makers;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::string& output : nodes[i].outputs) {
                makers[output] = i;
            }
        }
        std::vector<std::set<std::size_t>> readers(nodes.size());
        std::vector<std::size_t> waits(nodes.size(), 0);
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            for (const std::string& input : nodes[i].inputs) {
                const auto maker = makers.find(input);
                if (maker != makers.end() && readers[maker->second].insert(i).second) {
                    ++waits[i];
                }
            }
        }
        using Ready = std::pair<std::size_t, std::size_t>;
        std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (waits[i] == 0) {
                ready.emplace(at[i], i);
            }
        }
        std::vector<PlannedNode> sorted;
        while (!ready.empty()) {
            const std::size_t i = ready.top().second;
            ready.pop();
            for (const std::size_t reader : readers[i]) {
                if (--waits[reader] == 0) {
                    ready.emplace(at[reader], reader);
                }
            }
            sorted.push_back(std::move(nodes[i]));
        }
        check(sorted.size() == nodes.size(), "fused kernels wait for each other");
        return sorted;
    }

    FusionView view_;
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
