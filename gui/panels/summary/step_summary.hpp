// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "app/analysis/machine/recorded_report.hpp"
#include "app/analysis/machine/recorded_step.hpp"
#include "gui/document/run.hpp"
#include "gui/shell/panel.hpp"

namespace ascendsim::gui {

/// Where the step of a rank went, what it waited for, the critical path, and what would make it shorter.
void draw_step_summary(PanelContext& context, const Run& run, const analysis::RecordedStep& step);

/// The figures that a recording's writer put into it.
void draw_report_summary(const PanelContext& context, const analysis::RecordedReport& report);

/// The same as rows of a table: parts and bubbles of the slowest rank, and the critical path.
[[nodiscard]] std::vector<analysis::StepShare> step_rows(const analysis::RecordedStep& step);

}  // namespace ascendsim::gui
