// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "networks/loops/loops.hpp"
#include "networks/loops/program.hpp"
#include "networks/loops/schedule.hpp"
#include "networks/loops/tiling.hpp"

namespace ascendsim::networks::loops {

/// All that a source is written from.
struct SourceParts {
    const Loop& loop;
    const Space& space;
    const Program& program;
    const Schedule& schedule;
    const Tiling& tiling;
    std::string entry;
};

/// The kernel in Ascend C. Sizes are in its tiling struct alone.
[[nodiscard]] std::string source_text(const SourceParts& parts);

}  // namespace ascendsim::networks::loops
