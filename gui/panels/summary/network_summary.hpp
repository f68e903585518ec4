// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/analysis/network_figures.hpp"
#include "gui/document/run.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// Draws where the time of a network goes: kinds of operators, the longest operators, totals.
void draw_network_summary(PanelContext& context, const Run& run, const analysis::NetworkFigures& figures);

}  // namespace ascendsim::gui
