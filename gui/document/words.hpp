// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/analysis/blame/path_walker.hpp"
#include "sim/record/words.hpp"

namespace ascendsim::gui {

/// "UB", "L0A"; by a span's memory.
[[nodiscard]] std::string_view memory_words(std::size_t memory);

/// What a wait is called on a core, or on a track outside of cores, where hosts and streams wait.
[[nodiscard]] record::Word cause_words(record::Reason reason, bool on_core);

}  // namespace ascendsim::gui
