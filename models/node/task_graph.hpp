// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ascendsim::node {

/// Time of the composed level. One day fits 200,000 times.
using Picoseconds = std::uint64_t;

constexpr double picoseconds_per_us = 1e6;

[[nodiscard]] Picoseconds picoseconds(double us);
[[nodiscard]] double microseconds(Picoseconds time);

enum class LaneId : std::uint32_t {};
enum class LinkId : std::uint32_t {};
enum class TaskId : std::uint32_t {};

[[nodiscard]] constexpr std::size_t index(LaneId id) {
    return static_cast<std::size_t>(id);
}

[[nodiscard]] constexpr std::size_t index(LinkId id) {
    return static_cast<std::size_t>(id);
}

[[nodiscard]] constexpr std::size_t index(TaskId id) {
    return static_cast<std::size_t>(id);
}

/// What a task is for, which is also what a bubble behind it is blamed on.
enum class TaskKind : std::uint8_t { host, launch, compute, copy, communication, event };

/// The name of a kind: "host", "launch", …
[[nodiscard]] const char* name(TaskKind kind);

/// Does its tasks one after the other, in the order they were added: a host thread, a stream, a copy engine.
struct Lane {
    std::string name;
};

/// What a link of a machine joins. Devices and their hosts are numbered through all servers.
struct LinkEnd {
    enum class Kind : std::uint8_t { none, device, host, network };

    Kind kind = Kind::none;
    std::uint32_t number = 0;
};

/// Carries bytes for the flows that cross it, which share its rate.
struct Link {
    std::string name;
    double gb_per_s;    // 10^9 B/s
    LinkEnd from = {};  // where they come from; none if the link is of no machine
    LinkEnd to = {};
};

/// Bytes on their way over links.
struct Flow {
    std::uint64_t bytes = 0;
    std::vector<LinkId> route;
    double limit_gb_per_s = 0;  // of this flow alone; 0: that of its links
};

/// Work on a lane: first a fixed time, then a flow.
struct Task {
    std::string name;
    TaskKind kind = TaskKind::compute;
    double us = 0;
    Flow flow = {};
};

/// Tasks of many lanes, and what each waits for besides the one before it on its lane. Adding is appending; a
/// graph knows nothing of time.
class TaskGraph {
public:
    LaneId add_lane(Lane lane);
    /// Room for so many tasks in all, where their number is known beforehand.
    void reserve(std::size_t tasks);
    LinkId add_link(Link link);
    /// Adds a task behind those that `lane` has. It waits for `after`, too. Throws UserError for a time that
    /// is no finite positive number, and for a flow without a route or a rate.
    TaskId add(LaneId lane, const Task& task, std::span<const TaskId> after = {});
    /// Lets `task` wait for `before`, which may have been added later: an event recorded by another stream.
    void wait_for(TaskId task, TaskId before);

    [[nodiscard]] std::size_t size() const { return lanes_of_.size(); }

    [[nodiscard]] const std::vector<Lane>& lanes() const { return lanes_; }

    [[nodiscard]] const std::vector<Link>& links() const { return links_; }

    [[nodiscard]] LaneId lane(TaskId task) const { return lanes_of_[index(task)]; }

    [[nodiscard]] TaskKind kind(TaskId task) const { return kinds_[index(task)]; }

    [[nodiscard]] Picoseconds time(TaskId task) const { return times_[index(task)]; }

    [[nodiscard]] const std::string& name(TaskId task) const { return names_[names_of_[index(task)]]; }

    /// The flow of a task, or null.
    [[nodiscard]] const Flow* flow(TaskId task) const;

    /// An order between two tasks of different lanes.
    struct Edge {
        TaskId before;
        TaskId after;
    };

    [[nodiscard]] const std::vector<Edge>& edges() const { return edges_; }

private:
    static constexpr std::uint32_t no_flow = ~std::uint32_t{0};

    void check_flow(const Task& task) const;
    [[nodiscard]] std::uint32_t name_number(const std::string& name);

    std::vector<Lane> lanes_;
    std::vector<Link> links_;
    std::vector<LaneId> lanes_of_;
    std::vector<TaskKind> kinds_;
    std::vector<Picoseconds> times_;
    std::vector<std::uint32_t> names_of_;
    std::vector<std::uint32_t> flows_of_;
    std::vector<Flow> flows_;
    std::vector<std::string> names_;  // a name that comes twice in a row is kept once
    std::vector<Edge> edges_;
};

}  // namespace ascendsim::node
