// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/node/task_graph.hpp"

namespace ascendsim::node {

/// Flows under way, and the rate of each: links are shared max-min fair. No flow could be faster without
/// slowing one that is not faster than it.
class LinkShares {
public:
    explicit LinkShares(const std::vector<Link>& links) { grow(links); }

    /// Takes up links that were added behind those it knows.
    void grow(const std::vector<Link>& links);
    /// Flows of a graph that has grown may lie elsewhere.
    void find_flows(const TaskGraph& graph);

    /// A flow begins. Its rate is known after share().
    void begin(TaskId task, const Flow& flow, Picoseconds now);
    /// A flow ends, with whatever is left of it.
    void end(TaskId task, Picoseconds now);

    /// When a flow ends at the rate it has now.
    struct Forecast {
        TaskId task;
        Picoseconds end;
    };

    /// Gives anew rates to the flows that share links, directly or by others, with those that began or ended
    /// since the last call, and says when these end.
    [[nodiscard]] const std::vector<Forecast>& share(Picoseconds now);

private:
    struct Active {
        TaskId task{};
        const Flow* flow = nullptr;
        double left = 0;  // B
        double rate = 0;  // B/ps
        Picoseconds since = 0;
        bool settled = false;
    };

    struct Load {
        double rate = 0;  // B/ps
        std::vector<std::uint32_t> flows;
        double free = 0;
        std::uint32_t open = 0;  // flows without a rate yet
        bool touched = false;
    };

    [[nodiscard]] std::uint32_t slot_of(TaskId task) const;
    void touch(const Flow& flow);
    void gather();
    void settle(Active& active, Picoseconds now, double rate);
    void fill(Picoseconds now);
    [[nodiscard]] double tightest() const;

    std::vector<Load> loads_;
    std::vector<Active> active_;
    std::vector<std::uint32_t> free_slots_;
    std::vector<std::pair<TaskId, std::uint32_t>> slots_;  // of flows under way, by task
    std::vector<std::uint32_t> links_touched_;
    std::vector<std::uint32_t> flows_touched_;  // of a component that gets new rates
    std::vector<Forecast> forecasts_;
};

}  // namespace ascendsim::node
