// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gui/document/selection.hpp"

namespace ascendsim::gui {

/// What a unit does or waits for, in words a student understands: "waits for data: MTE2 is still copying
/// (add.cpp:29), 120 of 400 cycles to go".
[[nodiscard]] std::string sentence_for(const Run& run, const Pick& pick, const Theme& theme);

}  // namespace ascendsim::gui
