// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "networks/fusion/fusion.hpp"
#include "networks/fusion/search.hpp"
#include "networks/graph/graph.hpp"

namespace ascendsim::report {

/// What --fuse says.
enum class Fusing : std::uint8_t {
    none,
    graph,   // rewrite by patterns
    ub,      // one kernel for neighbours
    all,     // both
    search,  // both, and the tilings of what remains
};

/// The word of --fuse. Throws UserError for another, with the nearest one.
[[nodiscard]] Fusing fusing_of(const std::string& word);

/// The weights that --score states, "L,T,M"; the usual ones of an empty text. Throws UserError for others.
[[nodiscard]] networks::ScoreWeights score_weights(const std::string& stated);

/// A network whose extents are bound, and how it is lowered.
struct BoundNetwork {
    const networks::Graph& graph;
    const std::map<std::string, host::Shape, std::less<>>& shapes;
    const networks::Lowering& lowering;
};

/// The network as --fuse says, with what was decided.
struct FusedNetwork {
    networks::Graph graph;
    networks::NetworkPlan plan;
    std::vector<networks::Decision> decisions;
    std::vector<networks::NotJoined> not_joined;
    std::optional<networks::TilingSearch> search;  // of Fusing::search; its plan is moved to `plan`
};

/// Simulations of other tilings, if --budget is left out.
inline constexpr std::size_t default_budget = 200;

/// Joins what simulates better; `plan` is the network's as it is. `budget`: simulations of Fusing::search.
[[nodiscard]] FusedNetwork fuse_network(const BoundNetwork& network,
                                        const networks::NetworkPlan& plan,
                                        Fusing fusing,
                                        const networks::TimeTasks& time,
                                        const networks::FusionOptions& options = {},
                                        std::size_t budget = default_budget);

}  // namespace ascendsim::report
