// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/scenario/overrides.hpp"
#include "runtime/session/run_request.hpp"
#include "sim/config/table_reader.hpp"

namespace ascendsim::scenario {

/// One of [[ranks]]: where it runs, and what is different there.
struct RankSetting {
    std::uint32_t device = 0;
    double delay_us = 0;
    std::vector<Override> set;
    std::string place;
};

/// What a scenario says of its ranks.
struct RankSettings {
    std::string node;  // of models/nodes, or a file; empty: the usual one of the chip
    std::string host;  // of models/hosts; empty: that of the node
    std::vector<RankSetting> ranks;
    std::vector<runtime::RankedCollective> collectives;
};

/// Reads [[ranks]], or scenario.ranks = 8 (`count`; 0: not given), [node] and [[collectives]]. There are no
/// ranks if a scenario states none. Throws UserError with file and line.
[[nodiscard]] RankSettings read_ranks(TableReader& root, std::uint32_t count);

}  // namespace ascendsim::scenario
