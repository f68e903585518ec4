// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// One of every panel in this folder.
[[nodiscard]] std::vector<std::unique_ptr<Panel>> make_all_panels();

}  // namespace ascendsim::gui
