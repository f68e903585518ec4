// SPDX-License-Identifier: Apache-2.0
#include "app/networks/fuse_network.hpp"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "networks/fusion/graph_fusion.hpp"
#include "sim/base/error.hpp"

namespace ascendsim::report {
namespace {

namespace loops = networks::loops;

template <class Fusion>
void note_fusion(FusedNetwork& result, Fusion fusion) {
    result.decisions.insert(result.decisions.end(), fusion.decisions.begin(), fusion.decisions.end());
    result.not_joined.insert(result.not_joined.end(), fusion.not_joined.begin(), fusion.not_joined.end());
    result.plan = std::move(fusion.plan);
}

/// Generated kernels are written with the tilings that were found.
void note_tilings(FusedNetwork& result, const ChipSpec& chip) {
    std::map<std::string, loops::TilingChoice> tilings;
    for (const auto& [before, after] : result.search->changed) {
        tilings[networks::task_key(before, chip)] = after.tiling;
    }
    for (networks::Decision& decision : result.decisions) {
        const bool kernel = decision.taken && decision.task.loop != nullptr;
        const auto found = kernel ? tilings.find(networks::task_key(decision.task, chip)) : tilings.end();
        if (found != tilings.end()) {
            decision.task.tiling = found->second;
        }
    }
}

}  // namespace

Fusing fusing_of(const std::string& word) {
    const std::vector<std::string> ways{"none", "graph", "ub", "all", "search"};
    const auto found = std::ranges::find(ways, word);
    if (found == ways.end()) {
        throw UserError{"--fuse {}: none, graph, ub, all or search{}", word, nearest_hint(word, ways)};
    }
    return static_cast<Fusing>(found - ways.begin());
}

networks::ScoreWeights score_weights(const std::string& stated) {
    networks::ScoreWeights weights;
    if (stated.empty()) {
        return weights;
    }
    std::istringstream text{stated};
    char first = 0;
    char second = 0;
    text >> weights.latency >> first >> weights.throughput >> second >> weights.memory;
    const bool right = !text.fail() && text.peek() == std::istringstream::traits_type::eof() &&
                       first == ',' && second == ',' && weights.latency >= 0 && weights.throughput >= 0 &&
                       weights.memory >= 0 && weights.all() > 0;
    if (!right) {
        throw UserError{"--score {}: three numbers from 0 on, not all 0, as in 0.5,0.3,0.2", stated};
    }
    weights.stated = true;
    return weights;
}

FusedNetwork fuse_network(const BoundNetwork& network,
                          const networks::NetworkPlan& plan,
                          Fusing fusing,
                          const networks::TimeTasks& time,
                          const networks::FusionOptions& options,
                          std::size_t budget) {
    FusedNetwork result{
        .graph = network.graph, .plan = plan, .decisions = {}, .not_joined = {}, .search = {}};
    if (fusing == Fusing::none) {
        return result;
    }
    if (fusing != Fusing::ub) {
        networks::GraphFusion fusion = networks::fuse_graph(
            network.graph, network.shapes, network.lowering, networks::all_patterns(), time, options);
        result.graph = std::move(fusion.graph);
        note_fusion(result, std::move(fusion));
    }
    if (fusing != Fusing::graph) {
        note_fusion(
            result,
            networks::fuse_loops(result.plan, network.graph.outputs, network.lowering.chip, time, options));
    }
    if (fusing == Fusing::search) {
        result.search = networks::search_tilings(result.plan, network.lowering.chip, time, budget);
        result.plan = std::move(result.search->plan);
        note_tilings(result, network.lowering.chip);
    }
    return result;
}

}  // namespace ascendsim::report
