// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "networks/fusion/decision.hpp"
#include "networks/graph/graph.hpp"

namespace ascendsim::networks {

/// Names a network with bound extents by all that decisions about it start from.
[[nodiscard]] std::string graph_key(const Graph& graph,
                                    const std::map<std::string, host::Shape, std::less<>>& shapes,
                                    Precision precision);

/// What decisions about a network asked of simulations, call by call, kept in the cache: the same decisions
/// are then made again without a look at a kernel or its result. A file that is damaged, or of other
/// questions, is written anew.
class KeptTimes {
public:
    /// `key` names all that the questions depend on: network, chip, options, simulator. Empty: nothing is
    /// kept.
    KeptTimes(const std::string& key, TimeTasks simulate);

    /// The results of the next call, from an earlier run if it asked for as many tasks.
    [[nodiscard]] std::vector<TaskResult> operator()(const std::vector<Task>& tasks);

    /// Writes the calls of this run, if some are new and none has failed.
    void keep() const;

    /// Calls that were simulated.
    [[nodiscard]] std::size_t simulated() const { return simulated_; }

private:
    std::filesystem::path file_;
    TimeTasks simulate_;
    std::vector<std::vector<TaskResult>> calls_;
    std::size_t next_ = 0;
    std::size_t simulated_ = 0;
};

}  // namespace ascendsim::networks
