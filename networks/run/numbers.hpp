// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "networks/run/network_plan.hpp"
#include "runtime/session/plan_sequence.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::networks {

/// Tensors of a network by their names, with their elements.
using Elements = std::map<std::string, std::vector<double>, std::less<>>;

/// The tasks of a network, in order, ready to be launched.
using ReadyTasks = std::vector<std::unique_ptr<runtime::ReadyPlan>>;

/// How far a node's tasks are from their kernels' float64 references.
struct NodeNumbers {
    std::string name;
    std::string op;
    std::uint64_t compared = 0;  // elements
    std::uint64_t failures = 0;  // of them outside the kernel's tolerance
    double max_absolute = 0;
    double max_relative = 0;
};

/// A result that two networks make in different ways, against the float64 reference of the second one's
/// kernel. Errors are the largest of any element, by the largest element of the reference.
struct Difference {
    std::string output;
    std::string op;      // that makes it in the second network
    double apart = 0;    // error of the first network's result
    double fused = 0;    // error of the second one's, of the same operands
    double allowed = 0;  // by which the second may exceed the first: 1e-5 in float32, 1e-4 otherwise

    [[nodiscard]] bool passed() const { return fused <= apart + allowed; }
};

/// What the simulated kernels of a network computed.
struct Numbers {
    Elements outputs;
    std::vector<NodeNumbers> nodes;  // those that have tasks
    std::string first_failure;       // empty: every task agrees with its reference
};

/// Plans and compiles every task. Throws UserError, which names the node, for one that cannot run, and for
/// nodes that have no numbers.
[[nodiscard]] ReadyTasks ready_tasks(const NetworkPlan& plan,
                                     const ChipSpec& chip,
                                     const toolchain::Installation& installation);

/// Within runtime::run_sequence(): computes the network from `elements`, which hold its inputs and constants,
/// and returns the tensors of `outputs`.
[[nodiscard]] Numbers compute(const NetworkPlan& plan,
                              const ReadyTasks& tasks,
                              Elements elements,
                              const std::vector<std::string>& outputs,
                              const runtime::RunPlan& run);

/// The same for nodes that make results of another network in another way. `apart` holds what that network
/// computed; nodes take their operands from there, and their results are compared with those.
[[nodiscard]] std::vector<Difference> compare_nodes(const NetworkPlan& plan,
                                                    const ReadyTasks& tasks,
                                                    Elements apart,
                                                    const runtime::RunPlan& run);

/// Computes the network by its kernels' float64 references alone, without running any: what one node hands to
/// another is rounded as it is held. Throws UserError, which names the node, for kernels without a reference.
[[nodiscard]] Elements compute_exactly(const NetworkPlan& plan,
                                       const ChipSpec& chip,
                                       const toolchain::Installation& installation,
                                       Elements elements,
                                       const std::vector<std::string>& outputs);

/// The elements as they lie in memory, and back.
[[nodiscard]] std::vector<std::byte> bytes_of(isa::DataType type, const std::vector<double>& elements);
[[nodiscard]] std::vector<double> elements_of(isa::DataType type,
                                              std::span<const std::byte> bytes,
                                              std::uint64_t count);

}  // namespace ascendsim::networks
