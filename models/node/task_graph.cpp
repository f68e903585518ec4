// SPDX-License-Identifier: Apache-2.0
#include "models/node/task_graph.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace ascendsim::node {

Picoseconds picoseconds(double us) {
    return static_cast<Picoseconds>(std::llround(us * picoseconds_per_us));
}

double microseconds(Picoseconds time) {
    return static_cast<double>(time) / picoseconds_per_us;
}

const char* name(TaskKind kind) {
    switch (kind) {
        case TaskKind::host:
            return "host";
        case TaskKind::launch:
            return "launch";
        case TaskKind::compute:
            return "compute";
        case TaskKind::copy:
            return "copy";
        case TaskKind::communication:
            return "communication";
        case TaskKind::event:
            return "event";
    }
    return "";
}

LaneId TaskGraph::add_lane(Lane lane) {
    lanes_.push_back(std::move(lane));
    return static_cast<LaneId>(lanes_.size() - 1);
}

void TaskGraph::reserve(std::size_t tasks) {
    lanes_of_.reserve(tasks);
    kinds_.reserve(tasks);
    times_.reserve(tasks);
    names_of_.reserve(tasks);
    flows_of_.reserve(tasks);
}

LinkId TaskGraph::add_link(Link link) {
    if (!(link.gb_per_s > 0) || !std::isfinite(link.gb_per_s)) {
        throw UserError{"link {}: {} GB/s is not a positive number", link.name, link.gb_per_s};
    }
    links_.push_back(std::move(link));
    return static_cast<LinkId>(links_.size() - 1);
}

void TaskGraph::check_flow(const Task& task) const {
    if (task.flow.route.empty() && !(task.flow.limit_gb_per_s > 0)) {
        throw UserError{"task {}: {} B have neither a link to cross nor a rate", task.name, task.flow.bytes};
    }
    for (const LinkId link : task.flow.route) {
        check(index(link) < links_.size(), "task {} crosses a link that is not there", task.name);
    }
}

std::uint32_t TaskGraph::name_number(const std::string& name) {
    constexpr std::size_t most = 4;  // names that take turns, as those of a call's parts do
    for (std::size_t back = 1; back <= std::min(most, names_.size()); ++back) {
        if (names_[names_.size() - back] == name) {
            return static_cast<std::uint32_t>(names_.size() - back);
        }
    }
    names_.push_back(name);
    return static_cast<std::uint32_t>(names_.size() - 1);
}

TaskId TaskGraph::add(LaneId lane, const Task& task, std::span<const TaskId> after) {
    constexpr double longest_us = 1e12;  // twelve days
    if (!(task.us >= 0 && task.us <= longest_us)) {
        throw UserError{"task {}: {} us is not a time from 0 to 1e12 us", task.name, task.us};
    }
    check(index(lane) < lanes_.size(), "task {} is on a lane that is not there", task.name);
    std::uint32_t flow = no_flow;
    if (task.flow.bytes > 0) {
        check_flow(task);
        flow = static_cast<std::uint32_t>(flows_.size());
        flows_.push_back(task.flow);
    }
    const auto id = static_cast<TaskId>(lanes_of_.size());
    lanes_of_.push_back(lane);
    kinds_.push_back(task.kind);
    times_.push_back(picoseconds(task.us));
    names_of_.push_back(name_number(task.name));
    flows_of_.push_back(flow);
    for (const TaskId before : after) {
        wait_for(id, before);
    }
    return id;
}

void TaskGraph::wait_for(TaskId task, TaskId before) {
    check(index(task) < size() && index(before) < size(), "an order between tasks that are not there");
    edges_.push_back({before, task});
}

const Flow* TaskGraph::flow(TaskId task) const {
    const std::uint32_t number = flows_of_[index(task)];
    return number == no_flow ? nullptr : &flows_[number];
}

}  // namespace ascendsim::node
