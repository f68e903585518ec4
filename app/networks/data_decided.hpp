// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "app/networks/functional.hpp"
#include "sim/process/temporary_folder.hpp"

namespace ascendsim::report {

/// A network planned for the data that it gets.
struct DecidedNetwork {
    networks::Graph graph;          // without control flow
    networks::NetworkPlan plan;     // of it
    networks::Elements decisive{};  // what operators are steered by
    ComputedBefore before{};
    std::shared_ptr<const process::TemporaryFolder> folder{};  // of what was computed before
};

/// Plans a network. With `data`, the elements of its inputs are in `lowering.given`: where data decides which
/// operators run or how much they make, what is before them is computed on simulated kernels, part by part,
/// each in a process of its own. Throws UserError if a part cannot run.
[[nodiscard]] DecidedNetwork decide_network(const networks::Graph& graph,
                                            const std::map<std::string, host::Shape, std::less<>>& shapes,
                                            const networks::Lowering& lowering,
                                            const toolchain::Installation& installation,
                                            bool data);

/// The elements of a network's constants.
void add_constants(const networks::Graph& graph, networks::Elements& elements);

/// Within a process of its own: what the kernels of a plan compute.
[[nodiscard]] networks::Numbers computed(const networks::NetworkPlan& plan,
                                         networks::Elements elements,
                                         const std::vector<std::string>& outputs,
                                         const ChipSpec& chip,
                                         const toolchain::Installation& installation);

/// `numerics` of compute_network().
[[nodiscard]] nlohmann::ordered_json numerics_of(const networks::Numbers& numbers);

/// Adds what another part of the same network found.
void add_numerics(nlohmann::ordered_json& numerics, const nlohmann::ordered_json& other);

}  // namespace ascendsim::report
