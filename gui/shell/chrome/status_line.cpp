// SPDX-License-Identifier: Apache-2.0
#include "gui/shell/chrome/status_line.hpp"

#include <cmath>

#include <fmt/format.h>

#include "gui/canvas/imgui_canvas.hpp"
#include "gui/shell/chrome/fixed_window.hpp"
#include "gui/shell/run_maker.hpp"
#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

std::string counted(std::size_t count, std::string_view thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

}  // namespace

void draw_status_line(const Rect& box, const Library& library, const PanelContext& context) {
    const float pad = std::round(10 * context.scale());
    begin_fixed("##status", {box.left, box.top + 1, box.right, box.bottom}, context.theme.panel, {0, 0});
    ImGuiCanvas canvas{*ImGui::GetWindowDrawList(), context.fonts};
    std::string right;
    const bool pending = context.run_a != nullptr && context.run_a->pending();
    if (context.run_a != nullptr && !pending) {
        const TimeScale time = context.time();
        const TimeRange seen = context.view.visible();
        right = fmt::format("{} to {} of {}",
                            format_time_value(seen.begin, time),
                            format_time_value(seen.end, time),
                            format_time(context.view.extent, time));
        if (context.view.range) {
            right = fmt::format(
                "selected {}   \u00b7   {}", format_time(context.view.range->length(), time), right);
        }
        if (context.view.cursor) {
            right = fmt::format("at {}   \u00b7   {}", format_time(*context.view.cursor, time), right);
        }
    } else if (!pending) {
        right = fmt::format("{}, {}",
                            counted(library.scenarios().size(), "scenario"),
                            counted(library.lessons().size(), "lesson"));
    }
    const float right_width = canvas.measure(right, TextStyle::small).x;
    const Rect line{box.left + pad, box.top, box.right - pad, box.bottom};
    canvas.text_in(line, context.theme.text_dim, right, Align::right, TextStyle::small);
    ImGui::SetCursorScreenPos({line.right - right_width, line.top});
    ImGui::Dummy({right_width, line.height()});
    if (context.run_a != nullptr && !pending) {
        tooltip(
            "The visible stretch of time, and the length of the run; before it the selected stretch, and the "
            "place of the pointer");
    }
    const std::string activity = context.runs == nullptr ? std::string{} : context.runs->activity();
    const std::string_view idle = activity.empty() ? std::string_view{"Ready"} : std::string_view{activity};
    canvas.text_in({line.left, line.top, line.right - right_width - 2 * pad, line.bottom},
                   context.theme.text_dim,
                   context.status->empty() ? idle : std::string_view{*context.status},
                   Align::left,
                   TextStyle::small);
    ImGui::End();
}

}  // namespace ascendsim::gui
