// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "models/spec/chip_spec.hpp"
#include "networks/graph/graph.hpp"
#include "networks/run/numbers.hpp"
#include "networks/run/stages.hpp"
#include "toolchain/installation/installation.hpp"

namespace ascendsim::report {

/// What was computed of a network while it was planned.
struct ComputedBefore {
    std::filesystem::path file;       // elements; empty: nothing was
    networks::TensorNames names;      // of them
    nlohmann::ordered_json numerics;  // as of compute_network()
};

/// Shapes of the files that hold inputs with open extents, as bind_inputs() takes them.
[[nodiscard]] std::vector<std::string> shapes_of_files(const networks::Graph& graph,
                                                       const std::vector<std::string>& files);

/// Elements of the inputs: of .npy files where `files` name them ("NAME=FILE", or a folder with NAME.npy),
/// else random, always the same. Inputs that stand for weights are small, so that sums stay near 1. Throws
/// UserError for files of another type or shape.
[[nodiscard]] networks::Elements input_elements(const networks::Graph& graph,
                                                const std::map<std::string, host::Shape, std::less<>>& shapes,
                                                const std::vector<std::string>& files);

/// Gives constants that may be weights, reals of two axes and more, random elements, always the same, and so
/// that sums stay near 1. Others stay as the file has them, unless it was not asked for their elements.
void set_random_weights(networks::Graph& graph);

/// Computes the network on simulated kernels, in a process of its own, and writes its results below `outputs`
/// unless that is empty. What decide_network() has computed before is taken from there. Returns `numerics`
/// {checked, passed, failures, max_abs_error, max_rel_error, first_failure, operators: [{name, op, compared,
/// failures, max_abs_error, max_rel_error}]}. Throws UserError for a network of which a node has no numbers.
[[nodiscard]] nlohmann::ordered_json compute_network(const networks::Graph& graph,
                                                     const networks::NetworkPlan& plan,
                                                     const networks::Elements& inputs,
                                                     const ChipSpec& chip,
                                                     const toolchain::Installation& installation,
                                                     const std::filesystem::path& outputs,
                                                     const ComputedBefore& before = {});

/// A network as a file has it, and rewritten.
struct BeforeAndAfter {
    const networks::Graph& graph;
    const networks::NetworkPlan& plan;
    const networks::Graph& fused_graph;
    const networks::NetworkPlan& fused_plan;
};

/// Computes the network as it was, then what makes results of it in another way, from the same operands, in a
/// process of its own. Returns [{output, op, apart_error, fused_error, allowed, passed}]; see
/// networks::Difference.
[[nodiscard]] nlohmann::ordered_json compare_fused(const BeforeAndAfter& both,
                                                   const networks::Elements& inputs,
                                                   const ChipSpec& chip,
                                                   const toolchain::Installation& installation);

}  // namespace ascendsim::report
