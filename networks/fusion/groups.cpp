// SPDX-License-Identifier: Apache-2.0
#include "networks/fusion/groups.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "networks/loops/reasons.hpp"

namespace ascendsim::networks {
namespace {

constexpr std::size_t most_nodes = 32;  // of a group: sources stay readable

using Group = std::vector<std::size_t>;

class Growth {
public:
    Growth(const FusionView& view,
           const Group& among,
           const std::vector<Group>& standing,
           const ChipSpec& chip)
        : view_{view},
          chip_{chip},
          among_{among.begin(), among.end()},
          group_of_(view.plan.nodes.size()),
          standing_{standing} {
        for (std::size_t i = 0; i < group_of_.size(); ++i) {
            group_of_[i] = i;
            groups_.push_back({i});
        }
        for (const Group& group : standing) {
            for (const std::size_t member : group) {
                group_of_[member] = group.front();
                groups_[member].clear();
            }
            groups_[group.front()] = group;
        }
    }

    Groups result() {
        for (const std::size_t node : among_) {
            for (const std::string& input : view_.plan.nodes[node].inputs) {
                if (const auto maker = view_.makers.find(input); maker != view_.makers.end()) {
                    join(maker->second, node);
                }
            }
        }
        Groups result;
        for (const Group& group : groups_) {
            if (group.size() > 1 && std::ranges::find(standing_, group) == standing_.end()) {
                result.groups.push_back(group);
            }
        }
        for (Obstacle& obstacle : obstacles_) {  // another way round may have joined them
            if (group_of_[obstacle.from] != group_of_[obstacle.to]) {
                result.obstacles.push_back(std::move(obstacle));
            }
        }
        return result;
    }

private:
    [[nodiscard]] const PlannedNode& node(std::size_t index) const { return view_.plan.nodes[index]; }

    void note(std::size_t from, std::size_t to, std::string code, std::string text) {
        obstacles_.push_back({from, to, std::move(code), std::move(text)});
    }

    /// The first tensor that leads from one to the other.
    [[nodiscard]] const Tensor& between(std::size_t from, std::size_t to) const {
        const auto name = std::ranges::find_first_of(node(from).outputs, node(to).inputs);
        return view_.plan.tensors.at(*name);
    }

    /// True if both are loops.
    bool both_are_loops(std::size_t from, std::size_t to) {
        if (view_.forms[from] && view_.forms[to]) {
            return among_.contains(from);
        }
        const std::size_t other = view_.forms[from] ? to : from;
        if (!view_.forms[from] && !view_.forms[to]) {
            return false;
        }
        const PlannedNode& stands = node(other);
        const auto kernel = std::ranges::find_if(stands.tasks, &Task::timed);
        if (kernel != stands.tasks.end()) {
            note(from,
                 to,
                 "no_loop",
                 fmt::format(
                     "{} is computed by '{}', which is no loop over elements: {} ({} B) stays in memory",
                     stands.op,
                     kernel_name(*kernel),
                     between(from, to).text(),
                     between(from, to).bytes()));
        } else if (stands.refusal.empty() && !stands.inputs.empty() &&
                   !std::ranges::all_of(stands.results, &Tensor::known)) {
            note(from,
                 to,
                 "view_between",
                 fmt::format("{} gives the tensor another shape: {} becomes {}",
                             stands.op,
                             view_.plan.tensors.at(stands.inputs.front()).text(),
                             stands.results.front().text()));
        }
        return false;
    }

    void join(std::size_t from, std::size_t to) {
        if (!both_are_loops(from, to) || group_of_[from] == group_of_[to]) {
            return;
        }
        Group together = groups_[group_of_[from]];
        const Group& more = groups_[group_of_[to]];
        together.insert(together.end(), more.begin(), more.end());
        std::ranges::sort(together);
        if (together.size() > most_nodes) {
            note(from, to, "group_limit", fmt::format("a kernel of more than {} operators", most_nodes));
        } else if (const Group way = way_back(together); !way.empty()) {
            note(from, to, "would_cycle", cycle_text(together, way));
        } else if (can_be_generated(from, to, together)) {
            const std::size_t into = group_of_[from];
            groups_[group_of_[to]].clear();
            for (const std::size_t member : together) {
                group_of_[member] = into;
            }
            groups_[into] = std::move(together);
        }
    }

    bool can_be_generated(std::size_t from, std::size_t to, const Group& group) {
        try {
            static_cast<void>(fused_node(view_, group, chip_));
            return true;
        } catch (const loops::CannotGenerate& error) {
            note(from, to, std::string{loops::name(error.reason())}, error.what());
            return false;
        }
    }

    /// "MatMul 'p'"; a node without a name by its first result.
    [[nodiscard]] std::string shown(std::size_t index) const {
        const PlannedNode& one = node(index);
        const std::string& name = one.name.empty() && !one.outputs.empty() ? one.outputs.front() : one.name;
        return fmt::format("{} '{}'", one.op, name);
    }

    [[nodiscard]] std::string cycle_text(const Group& group, const Group& way) const {
        constexpr std::size_t most_shown = 8;  // the ends of longer ways tell enough
        std::vector<std::string> names;
        for (std::size_t i = 0; i < way.size(); ++i) {
            const std::size_t left_out = way.size() - std::min(way.size(), most_shown);
            if (left_out != 0 && i == most_shown / 2) {
                names.push_back(fmt::format("{} more", left_out));
                i += left_out;
            }
            names.push_back(shown(way[i]));
        }
        return fmt::format(
            "a kernel of {} operators would wait for itself: on the way {}, {} between the first and the "
            "last "
            "{} not part of it",
            group.size(),
            fmt::join(names, " -> "),
            way.size() - 2,
            way.size() == 3 ? "is" : "are");
    }

    /// The shortest way from the group over nodes outside back to it, with the members at both ends; each
    /// other group is one kernel, through which all that it makes waits for all that it reads. Empty if there
    /// is none.
    [[nodiscard]] Group way_back(const Group& group) const {
        const std::set<std::size_t> members{group.begin(), group.end()};
        std::vector<std::optional<std::size_t>> reached_from(view_.plan.nodes.size());
        Group next{group.begin(), group.end()};
        for (std::size_t i = 0; i < next.size(); ++i) {
            const std::size_t at = next[i];
            for (const std::size_t reader : readers_of(at)) {
                if (members.contains(reader)) {
                    if (members.contains(at)) {
                        continue;
                    }
                    return way_to(at, reader, reached_from);
                }
                for (const std::size_t reached : groups_[group_of_[reader]]) {
                    if (!reached_from[reached]) {
                        reached_from[reached] = reached == reader ? at : reader;
                        next.push_back(reached);
                    }
                }
            }
        }
        return {};
    }

    /// From a member, which nothing reached, over `at` to `reader`.
    [[nodiscard]] static Group way_to(std::size_t at,
                                      std::size_t reader,
                                      const std::vector<std::optional<std::size_t>>& reached_from) {
        Group way{reader, at};
        while (reached_from[way.back()]) {
            way.push_back(*reached_from[way.back()]);
        }
        std::ranges::reverse(way);
        return way;
    }

    [[nodiscard]] std::vector<std::size_t> readers_of(std::size_t index) const {
        std::vector<std::size_t> all;
        for (const std::string& output : node(index).outputs) {
            if (const auto found = view_.readers.find(output); found != view_.readers.end()) {
                all.insert(all.end(), found->second.begin(), found->second.end());
            }
        }
        return all;
    }

    const FusionView& view_;
    const ChipSpec& chip_;
    std::set<std::size_t> among_;
    std::vector<std::size_t> group_of_;
    std::vector<Group> groups_;  // at the first node of each
    const std::vector<Group>& standing_;
    std::vector<Obstacle> obstacles_;
};

}  // namespace

Groups grow_groups(const FusionView& view,
                   const std::vector<std::size_t>& among,
                   const std::vector<std::vector<std::size_t>>& standing,
                   const ChipSpec& chip) {
    return Growth{view, among, standing, chip}.result();
}

}  // namespace ascendsim::networks
