// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "networks/graph/graph.hpp"
#include "networks/operators/operators.hpp"

namespace ascendsim::networks {

/// How the elements of a network that states float32 are held.
enum class Precision : std::uint8_t {
    half,       // as float16, as CANN's converter does by default (precision_mode force_fp16)
    as_stated,  // as the file says
};

/// A node with what it comes to.
struct PlannedNode {
    std::string name;
    std::string op;
    std::vector<std::string> inputs;   // tensors that it reads
    std::vector<std::string> outputs;  // tensors that it makes
    std::vector<Tensor> results;
    std::vector<Task> tasks;
    std::vector<std::size_t> made;  // the value that each result is: see Read
    std::string note;
    std::shared_ptr<const LoopForm> form{};  // see Lowered
    bool on_host = false;                    // by the AI CPU: its results are known, and not timed
    bool keeps_types = false;                // see Lowered
    bool in_place = false;                   // see Lowered
    std::string refusal;                     // why it cannot run; empty if it can
    std::vector<std::string> steered_by{};   // refused until the elements of these are known
};

/// Tensors of a network by their names.
using Tensors = std::map<std::string, Tensor, std::less<>>;

/// A network whose extents are bound, lowered to kernels.
struct NetworkPlan {
    std::vector<PlannedNode> nodes;
    Tensors tensors;  // as they are held: inputs, constants, and results of nodes that can run
    std::uint64_t weight_bytes = 0;
    std::uint64_t input_bytes = 0;
};

/// How a network is lowered.
struct Lowering {
    Precision precision = Precision::half;
    const ChipSpec& chip;
    /// Elements of inputs and of results, where they are there: they may steer operators.
    std::map<std::string, std::vector<double>, std::less<>> given{};
    /// No data will come: where it decides how much an operator makes, the most that it can make is planned.
    bool timing_only = false;
};

/// Inputs and constants as they are held.
[[nodiscard]] Tensors first_tensors(const Graph& graph,
                                    const std::map<std::string, host::Shape, std::less<>>& shapes,
                                    const Lowering& lowering);

/// Lowers every node. What a refused node would have made is not known, and nodes behind it are refused for
/// that.
[[nodiscard]] NetworkPlan plan_network(const Graph& graph,
                                       const std::map<std::string, host::Shape, std::less<>>& shapes,
                                       const Lowering& lowering);

/// Lowers nodes, each behind those whose results it takes, whose other operands are among `tensors`; their
/// results are put there.
[[nodiscard]] std::vector<PlannedNode> plan_nodes(const std::vector<Node>& nodes,
                                                  std::int64_t opset,
                                                  const Lowering& lowering,
                                                  Tensors& tensors);

/// Memory of the tensors between nodes: each lives from the node that makes it to the last that reads it;
/// views share their operand's.
struct MemoryPlan {
    std::uint64_t all_bytes = 0;             // without reuse
    std::uint64_t peak_bytes = 0;            // alive at the same time
    std::uint64_t plan_bytes = 0;            // of places found first fit, in the order of the nodes
    std::string peak_node;                   // where the peak is
    std::vector<std::uint64_t> alive_bytes;  // while each node of the plan runs
};

/// A tensor that a node makes, and the nodes between which it is alive.
struct Lifetime {
    std::string tensor;
    std::uint64_t bytes = 0;
    std::size_t first = 0;
    std::size_t last = 0;
};

/// Of all tensors between nodes, in the order in which they are made. `kept` live to the end.
[[nodiscard]] std::vector<Lifetime> lifetimes(const NetworkPlan& plan, const std::vector<std::string>& kept);

[[nodiscard]] MemoryPlan plan_memory(const NetworkPlan& plan, const std::vector<std::string>& kept);

}  // namespace ascendsim::networks
