// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "app/analysis/blame/path_walker.hpp"

namespace ascendsim::gui {

/// "UB", "L0A"; by a span's memory.
[[nodiscard]] std::string_view memory_words(std::size_t memory);

}  // namespace ascendsim::gui
