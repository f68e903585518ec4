// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gui/panels/timeline/timeline_frame.hpp"

namespace ascendsim::gui {

/// What the mouse does to the timeline: click, drag, wheel. Changes of the view are requested; what is the
/// panel's own is returned.
class TimelineMouse {
public:
    /// What the panel itself changes.
    struct Result {
        float scroll = 0;                     ///< pixels to scroll down
        float lane_height = 0;                ///< to add
        std::optional<std::uint32_t> toggle;  ///< a core to fold or unfold
    };

    /// Call after the panel's area was made a widget; `hovered` and `active` are that widget's.
    Result handle(const TimelineFrame& frame, PanelContext& context, bool hovered, bool active);

private:
    enum class Drag { none, select, pan, zoom, minimap };

    void press(const TimelineFrame& frame, Point mouse);
    void move(const TimelineFrame& frame, PanelContext& context, Point mouse);
    void release(const TimelineFrame& frame, PanelContext& context, Point mouse, Result& result);
    void click(const TimelineFrame& frame, PanelContext& context, Point mouse, Result& result);
    void click_b(const TimelineFrame& frame, PanelContext& context, const Pick& of_b);
    void wheel(const TimelineFrame& frame, PanelContext& context, Point mouse, Result& result);
    /// What the bar below the pointer is, once the pointer has rested on it.
    void explain(const TimelineFrame& frame, const PanelContext& context, Point mouse);
    void hover(const TimelineFrame& frame, PanelContext& context, Point mouse);
    [[nodiscard]] TimeRange dragged(const TimelineFrame& frame, Point mouse) const;

    Drag drag_ = Drag::none;
    Point from_;
    double from_cycle_ = 0;
    TimeRange from_window_;
    bool moved_ = false;
    Point rests_at_;
    std::optional<float> rested_ = 0;  // seconds; none after a click until the pointer moves
};

/// The edge of a span nearest to a place, if one is within a few pixels; else the cycle below the pointer.
[[nodiscard]] double snapped(const TimelineFrame& frame, Point place);

}  // namespace ascendsim::gui
