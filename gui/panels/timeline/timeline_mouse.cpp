// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/timeline/timeline_mouse.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "gui/shell/widgets.hpp"

namespace ascendsim::gui {
namespace {

constexpr float smallest_drag = 4;  // pixels that make a click a drag

Point mouse_place() {
    const ImVec2 mouse = ImGui::GetMousePos();
    return {mouse.x, mouse.y};
}

/// Selects the gap between two picks as the range: a measurement.
void measure_gap(ViewState& view, const Pick& from, const Pick& to) {
    const Pick& first = from.stretch.start <= to.stretch.start ? from : to;
    const Pick& second = from.stretch.start <= to.stretch.start ? to : from;
    const auto begin = static_cast<double>(std::min(first.stretch.end, second.stretch.start));
    const auto end = static_cast<double>(second.stretch.start);
    view.range = end > begin ? TimeRange{begin, end} : TimeRange{first.range().begin, second.range().end};
    if (!(view.range->length() > 0)) {
        view.range.reset();
    }
}

}  // namespace

double snapped(const TimelineFrame& frame, Point place) {
    const double here = frame.axis.cycle(place.x);
    const std::optional<Pick> pick = pick_on_screen(frame, place);
    if (!pick) {
        return here;
    }
    constexpr double reach = 6;  // pixels
    const double limit = reach * frame.axis.cycles_per_pixel();
    const TimeRange range = pick->range();
    const double edge = here - range.begin < range.end - here ? range.begin : range.end;
    return std::abs(edge - here) <= limit ? edge : here;
}

TimelineMouse::Result TimelineMouse::handle(const TimelineFrame& frame,
                                            PanelContext& context,
                                            bool hovered,
                                            bool active) {
    Result result;
    const Point mouse = mouse_place();
    if (!std::isfinite(mouse.x) || !std::isfinite(mouse.y) || std::abs(mouse.x) > 1e6F) {
        drag_ = Drag::none;
        return result;
    }
    if (hovered && drag_ == Drag::none && active) {
        press(frame, mouse);
    }
    if (drag_ != Drag::none && active) {
        move(frame, context, mouse);
    }
    if (drag_ != Drag::none && !active) {
        release(frame, context, mouse, result);
    }
    if (hovered) {
        wheel(frame, context, mouse, result);
        hover(frame, context, mouse);
    }
    return result;
}

void TimelineMouse::press(const TimelineFrame& frame, Point mouse) {
    const ImGuiIO& io = ImGui::GetIO();
    from_ = mouse;
    from_cycle_ = io.KeyAlt ? frame.axis.cycle(mouse.x) : snapped(frame, mouse);
    from_window_ = frame.axis.seen;
    moved_ = false;
    if (frame.minimap.contains(mouse)) {
        drag_ = Drag::minimap;
    } else if (io.MouseDown[2] || (io.MouseDown[0] && io.KeyAlt)) {
        drag_ = Drag::zoom;
    } else if (io.MouseDown[1] || ImGui::IsKeyDown(ImGui::GetKeyIndex(ImGuiKey_Space))) {
        drag_ = Drag::pan;
    } else {
        drag_ = Drag::select;
    }
}

TimeRange TimelineMouse::dragged(const TimelineFrame& frame, Point mouse) const {
    const double to = ImGui::GetIO().KeyAlt ? frame.axis.cycle(mouse.x) : snapped(frame, mouse);
    const double end = frame.run.cycles();
    return {std::clamp(std::min(from_cycle_, to), 0.0, end), std::clamp(std::max(from_cycle_, to), 0.0, end)};
}

void TimelineMouse::move(const TimelineFrame& frame, PanelContext& context, Point mouse) {
    moved_ = moved_ || std::abs(mouse.x - from_.x) >= smallest_drag;
    if (drag_ == Drag::minimap) {
        const double middle = frame.whole().cycle(mouse.x);
        context.requests.change([middle](ViewState& view) {
            const double length = view.visible().length();
            view.pan((middle - length / 2 - view.visible().begin) / length);
        });
        return;
    }
    if (!moved_) {
        return;
    }
    if (drag_ == Drag::pan) {
        const double share = static_cast<double>(from_.x - mouse.x) / static_cast<double>(frame.axis.width);
        const double begin = from_window_.begin + share * from_window_.length();
        context.requests.change(
            [begin](ViewState& view) { view.pan((begin - view.visible().begin) / view.visible().length()); });
        return;
    }
    const TimeRange range = dragged(frame, mouse);
    if (range.length() > 0 && from_.x >= frame.tracks.left) {
        context.requests.change([range](ViewState& view) { view.range = range; });
    }
}

void TimelineMouse::release(const TimelineFrame& frame, PanelContext& context, Point mouse, Result& result) {
    const Drag drag = std::exchange(drag_, Drag::none);
    if (drag == Drag::zoom && moved_) {
        const TimeRange range = dragged(frame, mouse);
        context.requests.change([range](ViewState& view) {
            view.range.reset();
            if (range.length() > 0) {
                view.show(range);
            }
        });
    } else if (drag == Drag::select && !moved_) {
        click(frame, context, mouse, result);
    }
}

void TimelineMouse::click(const TimelineFrame& frame, PanelContext& context, Point mouse, Result& result) {
    const ImGuiIO& io = ImGui::GetIO();
    const TimelineRow* row = frame.rows.at(mouse.y - frame.tracks.top + frame.scroll);
    if (mouse.y >= frame.tracks.top && row != nullptr && row->head) {
        result.toggle = frame.rows.cores()[row->core].key;
        return;
    }
    if (const std::optional<Pick> of_b = pick_b_on_screen(frame, mouse)) {
        click_b(frame, context, *of_b);
        return;
    }
    const std::optional<Pick> pick = pick_on_screen(frame, mouse);
    if (!pick) {
        context.requests.change([](ViewState& view) { view.range.reset(); });
        return;
    }
    const std::optional<Pick> before = selected(frame.run, frame.context.view);
    if (io.KeyShift && before) {
        context.requests.change(
            [from = *before, to = *pick](ViewState& view) { measure_gap(view, from, to); });
    } else if (io.KeyCtrl && !pick->stretch.between) {
        context.requests.change([id = pick->span()](ViewState& view) { view.selected.push_back(id); });
    } else {
        context.requests.change([found = *pick](ViewState& view) {
            view.range.reset();
            select(view, found);
        });
    }
}

void TimelineMouse::click_b(const TimelineFrame& frame, PanelContext& context, const Pick& of_b) {
    if (const std::optional<Pick> same = matching(*frame.pair.other(), frame.run, of_b)) {
        context.requests.change([found = *same](ViewState& view) {
            view.range.reset();
            select(view, found);
        });
    } else {
        context.requests.toast(ToastKind::note, "Run A has nothing that is the same as this of run B");
    }
}

void TimelineMouse::wheel(const TimelineFrame& frame, PanelContext& context, Point mouse, Result& result) {
    const ImGuiIO& io = ImGui::GetIO();
    float up = std::clamp(io.MouseWheel, -20.0F, 20.0F);
    float right = std::clamp(io.MouseWheelH, -20.0F, 20.0F);
    if (io.KeyShift && !io.KeyCtrl) {
        right -= std::exchange(up, 0.0F);
    }
    if (right != 0) {
        context.requests.change(
            [share = 0.1 * static_cast<double>(right)](ViewState& view) { view.pan(share); });
    }
    if (up == 0) {
        return;
    }
    if (io.KeyCtrl && io.KeyShift) {
        result.lane_height = 2 * up;
    } else if (io.KeyCtrl || frame.minimap.contains(mouse) || frame.ruler.contains(mouse)) {
        const double about = frame.axis.cycle(mouse.x);
        context.requests.change([factor = std::pow(1.25, static_cast<double>(up)), about](ViewState& view) {
            view.zoom(factor, about);
        });
    } else {
        result.scroll = -up * 3 * frame.context.fonts.line_height(TextStyle::regular);
    }
}

void TimelineMouse::explain(const TimelineFrame& frame, const PanelContext& context, Point mouse) {
    const ImGuiIO& io = ImGui::GetIO();
    constexpr float still = 3;  // pixels that no hand means
    if (std::abs(mouse.x - rests_at_.x) > still || std::abs(mouse.y - rests_at_.y) > still) {
        rests_at_ = mouse;
        rested_ = 0;
    }
    if (io.MouseDown[0] || io.MouseDown[1] || io.MouseDown[2] || io.MouseWheel != 0 || io.MouseWheelH != 0) {
        rested_.reset();
    }
    if (!rested_) {
        return;
    }
    *rested_ += io.DeltaTime;
    if (*rested_ < rest_before_hints || io.WantTextInput) {
        return;
    }
    const TimelineRow* row = frame.rows.at(mouse.y - frame.tracks.top + frame.scroll);
    const std::optional<Pick> of_b = pick_b_on_screen(frame, mouse);
    const std::optional<Pick> pick = of_b ? of_b : pick_on_screen(frame, mouse);
    if (row == nullptr || !pick) {
        return;
    }
    const Run& run = of_b ? *frame.pair.other() : frame.run;
    const Rect box = frame.box_of(*row);
    const Rect bars = of_b ? frame.bars_b_in(box) : frame.bars_in(box);
    const std::string_view which = of_b ? "B  " : frame.compares() ? "A  " : "";
    tooltip_beside(bars, fmt::format("{}{}", which, describe(run, *pick, context)));
}

void TimelineMouse::hover(const TimelineFrame& frame, PanelContext& context, Point mouse) {
    tooltip(hint_at(frame, mouse));
    explain(frame, context, mouse);
    const bool over_time = mouse.x >= frame.tracks.left && mouse.y >= frame.ruler.top;
    const std::optional<double> cursor = over_time ? std::optional{frame.axis.cycle(mouse.x)} : std::nullopt;
    if (cursor != frame.context.view.cursor) {
        context.requests.change([cursor](ViewState& view) { view.cursor = cursor; });
    }
    const std::optional<Pick> of_b = pick_b_on_screen(frame, mouse);
    if (of_b && context.status != nullptr) {
        *context.status = "B  " + describe(*frame.pair.other(), *of_b, context);
    }
    const std::optional<Pick> pick = pick_on_screen(frame, mouse);
    if (!pick || context.status == nullptr) {
        return;
    }
    *context.status = (frame.compares() ? "A  " : "") + describe(frame.run, *pick, context);
    if (ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        context.requests.change([range = pick->range()](ViewState& view) {
            const double margin = std::max(range.length(), 1.0) * 0.1;
            view.show({range.begin - margin, range.end + margin});
        });
    }
}

}  // namespace ascendsim::gui
