// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "app/analysis/network_figures.hpp"
#include "app/networks/network_report.hpp"
#include "models/spec/chip_spec.hpp"

namespace ascendsim::report {

/// A network as pages and recordings show it.
struct NetworkPicture {
    analysis::NetworkFigures figures;
    std::map<std::string, std::string> sources;  // of generated kernels, by their names
};

/// The figures of a network, its graph as it ran and, if it was fused, as its file states it, both laid out.
/// Operators that were folded are left out of the graphs.
[[nodiscard]] NetworkPicture picture_of(const NetworkRun& run, const ChipSpec& chip);

/// Says of each operator of `before` which of `after` stands for it: the one that makes its result, or for
/// results that are gone the one that is made of them. Those that tidying removed have none.
void find_parts(analysis::NetworkGraph& before,
                const std::vector<const networks::PlannedNode*>& nodes,
                const std::vector<const networks::PlannedNode*>& after);

}  // namespace ascendsim::report
