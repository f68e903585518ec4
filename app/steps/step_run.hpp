// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/steps/step_program.hpp"
#include "models/node/schedule.hpp"
#include "models/node/task_graph.hpp"

namespace ascendsim::steps {

/// The tasks of one entry of the program on one rank: `issue` on the host, `work` on the device. A kernel of
/// a captured graph has no call of its own: its issue is its start on the stream.
struct PlacedTask {
    std::size_t entry = 0;  // of StepProgram::tasks
    std::uint32_t rank = 0;
    std::optional<node::TaskId> issue;
    std::optional<node::TaskId> work;
};

/// What a lane of the graph is.
struct StepLane {
    enum class Kind : std::uint8_t { host, launcher, stream, engine, transfer };

    Kind kind = Kind::transfer;  // between devices: of a collective's parts
    std::uint32_t rank = 0;
    std::string name;  // of a stream
};

/// A program that has run.
struct StepRun {
    node::TaskGraph graph;
    node::Schedule schedule;
    /// In the order of the program; between collectives, which all ranks call together, rank by rank.
    std::vector<PlacedTask> placed;
    std::vector<std::optional<std::uint32_t>> owner;  // of each task of the graph: index in `placed`
    std::vector<StepLane> lanes;                      // of the graph
};

/// How a program is run.
struct StepOptions {
    std::function<double(double)> host_us{};  // what a call takes that takes so long on average; empty: that
};

/// Runs a program on its machine: each rank has a host thread, streams, and a copy engine for each direction.
[[nodiscard]] StepRun run_step(const StepProgram& program, const StepOptions& options = {});

}  // namespace ascendsim::steps
