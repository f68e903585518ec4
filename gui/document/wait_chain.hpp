// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/analysis/blame/path_walker.hpp"
#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// Follows a wait (or the start of an instruction) to its root: what was going on all the while, latest
/// first. The segments reach back to where the wait began, or to where the pipe was free for the instruction;
/// at most `most`.
[[nodiscard]] std::vector<analysis::PathSegment> wait_chain(const Run& run,
                                                            const Pick& pick,
                                                            std::size_t most);

}  // namespace ascendsim::gui
