// SPDX-License-Identifier: Apache-2.0
#include "app/networks/operator_lines.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/report/style.hpp"

namespace ascendsim::report {

using networks::NetworkPlan;
using networks::PlannedNode;
using networks::TaskResult;

namespace {

void add(Line& line, const TaskResult& task) {
    line.time_us += task.time_us;
    line.core_us += task.core_us;
    line.flops += task.flops;
    line.hbm_bytes += task.hbm_read_bytes + task.hbm_write_bytes;
    line.moved_bytes += task.moved_bytes;
    if (line.error.empty()) {
        line.error = task.error;
    }
    if (task.time_us > line.longest_us) {
        line.longest_us = task.time_us;
        line.busiest = task.busiest;
        line.busy_share = task.busy_share;
        line.problem = task.problem;
    }
}

}  // namespace

std::vector<Line> lines_of(const NetworkPlan& plan, const std::vector<TaskResult>& results) {
    std::vector<Line> lines;
    auto result = results.begin();
    for (const PlannedNode& node : plan.nodes) {
        Line& line = lines.emplace_back(Line{.node = &node});
        for (std::size_t i = 0; i < node.tasks.size(); ++i) {
            add(line, *result++);
        }
        if (!node.refusal.empty()) {
            line.error = node.refusal;
        }
    }
    return lines;
}

std::map<std::string, Kind> kinds_of(const std::vector<Line>& lines) {
    std::map<std::string, Kind> kinds;
    for (const Line& line : lines) {
        if (line.node->tasks.empty() || !line.error.empty()) {
            continue;
        }
        Kind& kind = kinds[line.node->op];
        ++kind.count;
        kind.tasks += line.node->tasks.size();
        kind.time_us += line.time_us;
        kind.core_us += line.core_us;
        kind.hbm_bytes += line.hbm_bytes;
    }
    return kinds;
}

Line total_of(const std::vector<Line>& lines) {
    Line total;
    for (const Line& line : lines) {
        total.time_us += line.time_us;
        total.core_us += line.core_us;
        total.flops += line.flops;
        total.hbm_bytes += line.hbm_bytes;
        total.moved_bytes += line.moved_bytes;
    }
    return total;
}

double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

std::string title(const PlannedNode& node) {
    return node.name.empty() && !node.outputs.empty() ? node.outputs.front() : node.name;
}

std::string limit_of(const Line& line) {
    constexpr double launch_share = 0.5;
    if (line.time_us > 0 && line.core_us < launch_share * line.time_us) {
        return "launch";
    }
    return line.busiest.empty() ? "" : fmt::format("{} {}", line.busiest, percent_text(line.busy_share));
}

std::size_t refused_of(const std::vector<Line>& lines) {
    return static_cast<std::size_t>(
        std::ranges::count_if(lines, [](const Line& line) { return !line.error.empty(); }));
}

std::size_t kernels_of(const std::vector<Line>& lines) {
    std::size_t kernels = 0;
    for (const Line& line : lines) {
        kernels += line.error.empty() ? line.node->tasks.size() : 0;
    }
    return kernels;
}

}  // namespace ascendsim::report
