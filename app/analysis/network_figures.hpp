// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "sim/record/recording.hpp"

namespace ascendsim::analysis {

/// A place in the picture of a graph, points, y downwards.
struct GraphPoint {
    double x = 0;
    double y = 0;
};

/// An operator of a network, as it ran or as the file states it.
struct NetworkNode {
    std::string name;
    std::string kind;    // "Conv", or of joined ones "Add + Relu"
    std::string shapes;  // of its results: "float16 [1, 64, 56, 56]"
    std::string kernel;  // the problem of the longest, as the kernel states it
    std::string limit;   // "aic_mte2 85.5 %" or "launch"; empty if it takes no time
    std::string note;
    std::string error;   // why it cannot run; empty if it can
    std::string source;  // of the kernel that was generated for it: a key of the recording's sources
    double time_us = 0;
    double core_us = 0;  // without launches
    double hbm_bytes = 0;
    double alive_bytes = 0;  // tensors between operators, while it runs
    std::uint64_t kernels = 0;
    std::optional<std::uint64_t> span;   // on the track of operators; nothing if it takes no time
    std::optional<std::size_t> part_of;  // of one that is joined with others: the operator that stands for it
    GraphPoint centre;
    double width = 0;  // points; 0 if the graph is not laid out
    double height = 0;
};

/// Elements that go from one operator to another. `points` is a chain of Bezier curves: a start, then three
/// points for each curve.
struct NetworkEdge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::vector<GraphPoint> points;
};

/// Operators that one other operator stands for after fusion, framed in the picture.
struct NetworkFrame {
    std::size_t stands = 0;  // the operator as it ran
    GraphPoint low;          // upper left corner
    GraphPoint high;
};

/// Operators and what goes between them.
struct NetworkGraph {
    std::vector<NetworkNode> nodes;
    std::vector<NetworkEdge> edges;
    std::vector<NetworkFrame> frames;
    double time_us = 0;
    double width = 0;  // of the picture, points; 0 if there is none
    double height = 0;
};

/// What the operators of one kind took.
struct NetworkKind {
    std::string kind;
    std::uint64_t count = 0;
    std::uint64_t kernels = 0;
    double time_us = 0;
    double hbm_bytes = 0;
};

/// What is known of a network that was simulated operator by operator.
struct NetworkFigures {
    std::string name;
    std::string chip;
    bool complete = true;  // every operator can run
    double time_us = 0;
    double core_us = 0;
    double flops = 0;
    double hbm_bytes = 0;
    double moved_bytes = 0;
    std::uint64_t kernels = 0;   // launches
    std::uint64_t recorded = 0;  // of these, with the pipes of their cores in the recording
    double weight_bytes = 0;
    double input_bytes = 0;
    double peak_bytes = 0;
    std::string peak_operator;
    std::vector<NetworkKind> kinds;      // the longest first
    NetworkGraph graph;                  // as it ran, in the order of its operators
    std::optional<NetworkGraph> before;  // as its file states it, if it was fused
    std::string no_picture;              // why the graphs are not laid out; empty if they are
    nlohmann::json fusion;  // what was joined and why not: `fused`, `refused`, `not_joined`; or null

    [[nodiscard]] double launch_us() const { return time_us - core_us; }
};

/// Operators of the graph by their time, the longest first; those that take none are left out.
[[nodiscard]] std::vector<std::size_t> by_time(const NetworkGraph& graph);

/// Where the time goes, in one sentence.
[[nodiscard]] std::string verdict(const NetworkFigures& figures);

/// Of which kernels the pipes are not in the recording, in one sentence; empty if all are.
[[nodiscard]] std::string left_out(const NetworkFigures& figures);

/// The figures as `network` in a recording's metadata has them.
[[nodiscard]] nlohmann::json to_json(const NetworkFigures& figures);

/// Reads what to_json() wrote. What does not fit (indices of nothing, numbers that are none, too many of
/// anything) is left out: the file may come from anyone.
[[nodiscard]] NetworkFigures network_from_json(const nlohmann::json& values);

/// True if the recording is one of a network.
[[nodiscard]] bool is_network(const record::Recording& recording);

/// The figures of a recorded network, or nothing if it is one of a kernel or program.
[[nodiscard]] std::optional<NetworkFigures> network_of(const record::Recording& recording);

/// The tracks of a network's recording: its operators, and their kernels.
[[nodiscard]] record::TrackPath operators_track();
[[nodiscard]] record::TrackPath kernels_track();

}  // namespace ascendsim::analysis
