// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "networks/loops/loops.hpp"
#include "networks/loops/program.hpp"
#include "networks/loops/space.hpp"

namespace ascendsim::networks::loops {

/// The instructions of a loop's steps on one tile. Floats, truth values and short integers are computed in
/// float, int32 in int32. Throws CannotGenerate for what no instruction does.
[[nodiscard]] Program lower(const Loop& loop, const Space& space);

}  // namespace ascendsim::networks::loops
