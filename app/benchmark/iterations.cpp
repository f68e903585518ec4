// SPDX-License-Identifier: Apache-2.0
#include "app/benchmark/iterations.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "app/steps/step_run.hpp"
#include "models/node/schedule.hpp"
#include "models/node/task_graph.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::benchmark {
namespace {

using node::JitteredHost;
using node::TaskId;

/// The host with its calls' times drawn anew.
node::HostSpec drawn(node::HostSpec host, JitteredHost& jitter) {
    for (double node::HostSpec::*time : {&node::HostSpec::eager_us,
                                         &node::HostSpec::triton_us,
                                         &node::HostSpec::queue_us,
                                         &node::HostSpec::launch_us,
                                         &node::HostSpec::sync_us}) {
        host.*time = jitter(host.*time);
    }
    return host;
}

/// Where an iteration stands in its cycle.
struct Turn {
    std::uint32_t cycle = 0;
    std::uint32_t of_cycle = 0;
    bool last = false;

    Turn(const BenchmarkPlan& plan, std::uint64_t iteration) {
        const std::uint64_t length = std::uint64_t{plan.wait} + plan.warm_up + plan.active;
        cycle = static_cast<std::uint32_t>(iteration / length);
        of_cycle = static_cast<std::uint32_t>(iteration % length);
        last = of_cycle + 1 == length;
    }

    /// Its number among those measured; nothing if nobody looks.
    [[nodiscard]] std::optional<std::uint32_t> measured(const BenchmarkPlan& plan) const {
        const std::uint32_t before = plan.wait + plan.warm_up;
        return of_cycle < before ? std::nullopt : std::optional{of_cycle - before};
    }
};

/// Tasks of one iteration.
struct PlacedIteration {
    TaskId call{};
    TaskId work{};
    std::optional<TaskId> done{};  // the host goes on
};

std::vector<PlacedIteration> place_all(const BenchmarkPlan& plan,
                                       const node::HostSpec& host,
                                       const std::vector<double>& device_us,
                                       node::TaskGraph& graph) {
    const node::FedStream lanes = node::add_fed_stream(graph);
    JitteredHost jitter{plan.jitter, plan.seed};
    std::vector<PlacedIteration> placed;
    for (std::uint64_t i = 0; i < plan.iterations(); ++i) {
        const node::HostSpec now = drawn(host, jitter);
        const double us = device_us[std::min<std::uint64_t>(i, device_us.size() - 1)];
        PlacedIteration one{.call = TaskId{static_cast<std::uint32_t>(graph.size())}};
        one.work = node::add_call(graph, lanes, now, plan.mode, us);
        if (plan.synchronise || Turn{plan, i}.last) {
            const TaskId reached =
                graph.add(lanes.host, {.name = "wait", .kind = node::TaskKind::event}, std::array{one.work});
            one.done = graph.add(lanes.host,
                                 {.name = "synchronise", .kind = node::TaskKind::host, .us = now.sync_us},
                                 std::array{reached});
        }
        placed.push_back(one);
    }
    return placed;
}

/// When some device of a step computes.
double computing_us(const steps::StepRun& run) {
    std::vector<std::pair<node::Picoseconds, node::Picoseconds>> spans;
    for (std::size_t i = 0; i < run.graph.size(); ++i) {
        const TaskId task{static_cast<std::uint32_t>(i)};
        if (run.graph.kind(task) == node::TaskKind::compute) {
            spans.emplace_back(run.schedule.start[i], run.schedule.end[i]);
        }
    }
    std::ranges::sort(spans);
    node::Picoseconds sum = 0;
    node::Picoseconds until = 0;
    for (const auto& [start, end] : spans) {
        sum += end > until ? end - std::max(start, until) : 0;
        until = std::max(until, end);
    }
    return node::microseconds(sum);
}

}  // namespace

std::vector<Iteration> iterate(const BenchmarkPlan& plan,
                               const node::HostSpec& host,
                               const std::vector<double>& device_us) {
    check(!device_us.empty(), "a benchmark of no execution");
    node::TaskGraph graph;
    const std::vector<PlacedIteration> placed = place_all(plan, host, device_us, graph);
    const node::Schedule schedule = node::run(graph);
    const auto end = [&](TaskId task) { return schedule.end[node::index(task)]; };
    const auto start = [&](TaskId task) { return schedule.start[node::index(task)]; };
    std::vector<Iteration> iterations;
    for (std::uint64_t i = 0; i < placed.size(); ++i) {
        const Turn turn{plan, i};
        const std::optional<std::uint32_t> number = turn.measured(plan);
        if (!number) {
            continue;
        }
        const PlacedIteration& one = placed[i];
        const node::Picoseconds to = plan.synchronise ? end(*one.done) : end(one.work);
        const bool follows = !plan.synchronise && turn.of_cycle > 0;
        const node::Picoseconds from = follows ? end(placed[i - 1].work) : start(one.call);
        iterations.push_back({.cycle = turn.cycle,
                              .number = *number,
                              .us = node::microseconds(to - from),
                              .device_us = node::microseconds(end(one.work) - start(one.work))});
    }
    return iterations;
}

std::vector<Iteration> iterate(const BenchmarkPlan& plan, const steps::StepProgram& program) {
    JitteredHost jitter{plan.jitter, plan.seed};
    std::vector<Iteration> iterations;
    std::optional<Iteration> steady;  // without jitter all iterations are alike
    for (std::uint64_t i = 0; i < plan.iterations(); ++i) {
        const Turn turn{plan, i};
        const std::optional<std::uint32_t> number = turn.measured(plan);
        if (!number && !plan.jitter.any()) {
            continue;
        }
        if (!steady || plan.jitter.any()) {
            const steps::StepRun run =
                steps::run_step(program, {.host_us = [&](double us) { return jitter(us); }});
            steady = Iteration{.us = node::microseconds(run.schedule.length), .device_us = computing_us(run)};
        }
        if (number) {
            iterations.push_back(*steady);
            iterations.back().cycle = turn.cycle;
            iterations.back().number = *number;
        }
    }
    return iterations;
}

}  // namespace ascendsim::benchmark
